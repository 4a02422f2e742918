import type { ClientProtocol, ClientRequest, EndpointProtocol, SentBody } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Later, then } from "../../core/later.ts";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import { keptAnswerOf, MAX_KEPT_BYTES } from "../admit/replay.ts";
import { factHeaders } from "../answer/fact-headers.ts";
import { type FinalUsage, finalUsage, inputReport } from "../answer/final-usage.ts";
import { type OpenedAnswer, type OpenedWhole, openAnswer } from "../answer/open-answer.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import type { AttemptVerdict } from "../ask/vendor-failure.ts";
import type { Answering, BilledUse } from "../billed/admit-call.ts";
import { JSON_TYPE } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { type Plan, planRequest, withGrant } from "../plan/plan.ts";
import { isSeen, streamsAll } from "../plan/seen-output.ts";
import { continuesStored, inputOf, SAMPLE_CHARACTERS } from "../request/collect-text.ts";
import type { ReadyAnswer, ReadyWhole } from "../settle/answer-admitted.ts";
import type { EarlyAnswer } from "../settle/awaited-stream.ts";
import type { Visibility } from "../settle/endings.ts";
import { isRemembered, remember } from "../settle/remember.ts";
import type { Settlement } from "../settle/settle-request.ts";
import { StreamedAnswer } from "../settle/stream-answer.ts";
import { EVENT_STREAM } from "../settle/stream-ending.ts";
import { readRequest } from "./read-request.ts";

/** The use of a generation endpoint: its requests are relayed to vendors that speak its protocol, and translated to others. */
export function generationUse(
  deps: PipelineDeps,
  protocol: EndpointProtocol | ClientProtocol,
): BilledUse<ClientRequest, Plan> {
  const { kind, most_input_tokens } = protocol;
  return {
    kind,
    read: (call) => readRequest(deps, call, protocol),
    plan: (call, asked) => {
      if (most_input_tokens === undefined || asked.request.input_bound_tokens <= most_input_tokens)
        return planRequest(deps, call, asked);
      return refuseMoreTokens(deps, asked.request, protocol).then(() => planRequest(deps, call, asked));
    },
    granted: ({ result, request, plan }) => {
      const granted = result.outcome === "admitted" ? result.granted : undefined;
      return granted === undefined ? { request, plan } : withGrant(request, plan, granted);
    },
    answering: (run) => new GenerationProducer(run, protocol),
  };
}

/** Throws the 400 for a request of more input tokens than its endpoint takes, counted as token counts are estimated. */
async function refuseMoreTokens(
  { estimator }: PipelineDeps,
  request: ClientRequest,
  { most_input_tokens = Number.POSITIVE_INFINITY, general_error }: EndpointProtocol,
): Promise<void> {
  const input = await (request.remote?.collectInput() ?? inputOf(request, SAMPLE_CHARACTERS));
  const { input_tokens } = await estimator.estimate({ request_body: null, input, output_sample: "", output_bytes: 0 });
  if (input_tokens <= most_input_tokens) return;
  const message = `'input' has about ${input_tokens} tokens; allowed: at most ${most_input_tokens} in a request.`;
  throw new GatewayError(general_error, message, { param: "input" });
}

/** How a generation request is answered: whole, or as a stream. */
class GenerationProducer implements Answering {
  readonly early?: EarlyAnswer;
  readonly #run: RunningRequest;
  /** The media type of a streamed answer. */
  readonly #stream_type: string;

  constructor(run: RunningRequest, protocol: EndpointProtocol | ClientProtocol) {
    this.#stream_type = streamType(protocol);
    this.#run = run;
    if ("beat" in protocol) this.early = earlyAnswer(run, protocol);
  }

  make(): Promise<ReadyAnswer> {
    return openAnswer(this.#run).then((opened) => this.#ready(opened));
  }

  /** Synchronous where nothing has to be estimated or fetched, as with most answers. */
  #ready(opened: OpenedAnswer | AttemptVerdict): Later<ReadyAnswer> {
    if (!("kind" in opened)) throw opened.error;
    const run = this.#run;
    const { call } = run;
    run.receipt.ignored = opened.exchange.ignored;
    if (opened.kind === "stream") {
      const content_type = opened.exchange.content_type ?? this.#stream_type;
      const stream = new StreamedAnswer(run, opened, {
        ...{ visibility: this.visibility(), beat: this.early?.beat ?? null, content_type },
      });
      const answer = call.write({ status: 200, content_type, headers: factHeaders(run), body: stream });
      return { kind: "stream", answer, stream };
    }
    return then(finalUsage(run, opened.candidate, opened.answer, true), (final) =>
      then(shownBody(opened, final, run.cost_mark), (body) =>
        readyWhole(run, final, { body, content_type: opened.exchange.content_type ?? JSON_TYPE }),
      ),
    );
  }

  /**
   * Whether the output is seen while it streams. Turns of a conversation that the vendor stores are unseen, like its reasoning: only the
   * usage tells how many of their tokens were read.
   */
  visibility(): Visibility {
    const {
      request,
      vendor_call: { asked },
    } = this.#run;
    if (asked === null || continuesStored(request.body)) return "unseen";
    return isSeen(request, { streams_all: streamsAll(asked.model), routes: [asked] }) ? "seen" : "unseen";
  }

  async chargeLeft(): Promise<Settlement | null> {
    const { begun } = this.#run.vendor_call;
    if (begun === null) return null;
    const { candidate, report } = begun;
    const final = await finalUsage(this.#run, candidate, inputReport(report), false);
    return { ...final, error: null, success: true, answer: null };
  }
}

function streamType(protocol: EndpointProtocol | ClientProtocol): string {
  return "beat" in protocol ? (protocol.stream_type ?? EVENT_STREAM) : EVENT_STREAM;
}

function earlyAnswer(run: RunningRequest, protocol: ClientProtocol): EarlyAnswer {
  const { call, plan, request_id } = run;
  const content_type = streamType(protocol);
  return {
    beat: protocol.beat,
    begin: (body) => call.write({ status: 200, content_type, headers: factHeaders(run), body }),
    failed: (error) => protocol.failedStream(error, { model: plan.model.id, request_id }),
  };
}

/** The body that the client gets: it shows the billed usage where that is not the vendor's, and the mark of the cost. */
function shownBody(
  { answer }: OpenedWhole,
  { usage, estimated }: FinalUsage,
  cost: string | undefined,
): Later<SentBody> {
  const billed = estimated ? usage : null;
  return "body" in answer ? (answer.bodyWith?.(billed, cost) ?? answer.body) : answer.bodyWith(billed, cost);
}

/** A whole answer as the client gets it. */
interface ClientAnswer {
  readonly body: SentBody;
  readonly content_type: string;
}

/** A non-streamed answer with its head, and the settlement that must be durable before its first byte is sent. */
function readyWhole(
  run: RunningRequest,
  { candidate, usage, estimated, report }: FinalUsage,
  sent: ClientAnswer,
): ReadyWhole {
  const { call } = run;
  const { body, content_type } = sent;
  const kept = call.idempotency_key === null ? null : keptAnswer(run, sent);
  return {
    kind: "whole",
    answer: { ...call.write({ status: 200, content_type, headers: factHeaders(run), body }), body },
    content_type,
    settlement: {
      candidate,
      usage,
      estimated,
      report,
      error: null,
      success: true,
      answer: kept,
      free_if_withheld: true,
    },
    settled: isRemembered(run) ? (sent) => remember(run, candidate, sent) : null,
  };
}

function keptAnswer(run: RunningRequest, { body, content_type }: ClientAnswer): StoredAnswer | null {
  const bytes = bytesOf(body);
  if (bytes.byteLength > MAX_KEPT_BYTES) return null;
  return keptAnswerOf({ status: 200, content_type, headers: factHeaders(run), body: bytes });
}
