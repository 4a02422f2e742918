import type { AnswerSource } from "../../core/answer/answer-stream.ts";
import type { ClientProtocol, ClientRequest, SentBody } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { GatewayError } from "../../core/errors.ts";
import { type Later, then } from "../../core/later.ts";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { type Admission, type RequestPlanner, readAndAdmit } from "../admit/read-and-admit.ts";
import { keptAnswerOf, MAX_KEPT_BYTES, replayAnswer } from "../admit/replay.ts";
import { factHeaders } from "../answer/fact-headers.ts";
import { type FinalUsage, finalUsage, inputReport } from "../answer/final-usage.ts";
import { GenerationAsking, type OpenedAnswer, type OpenedWhole, openAnswer } from "../answer/open-answer.ts";
import { RunningRequest } from "../answer/running-request.ts";
import type { AttemptVerdict } from "../ask/vendor-failure.ts";
import { type AdmittedCall, type BilledCall, JSON_TYPE, type WrittenAnswer } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { LargeBody, SmallBody } from "../large-bodies/large-bodies.ts";
import { recallRequest } from "../memory/recall-request.ts";
import { LargeRecall, SmallRecall } from "../memory/recall-source.ts";
import { type Plan, planRequest, withGrant } from "../plan/plan.ts";
import { isSeen, streamsAll } from "../plan/seen-output.ts";
import { continuesStored } from "../request/collect-text.ts";
import { LARGE_BYTES } from "../request/sizes.ts";
import { type AnswerProducer, answerAdmitted, type ReadyAnswer, type ReadyWhole } from "../settle/answer-admitted.ts";
import type { Visibility } from "../settle/endings.ts";
import { isRemembered, remember } from "../settle/remember.ts";
import type { Settlement } from "../settle/settle-request.ts";
import { StreamedAnswer } from "../settle/stream-answer.ts";
import { EVENT_STREAM } from "../settle/stream-ending.ts";
import { type EarlyAnswer, inTime } from "./awaited-stream.ts";

/**
 * Admits a generation request: checks it, plans it, and takes its hold. The answer comes from the vendors and is returned once its charge is
 * durable. Throws the GatewayError that the client gets; no hold is open then.
 */
export async function generate(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol): Promise<AdmittedCall> {
  const planner = new GenerationPlanner(deps, call, protocol);
  let admission: Admission<ClientRequest, Plan>;
  try {
    admission = await readAndAdmit(deps, call, planner);
  } catch (thrown) {
    planner.release();
    throw thrown;
  }
  const { result, request, plan } = admission;
  if (result.outcome === "replay") {
    planner.release();
    return { result, answer: async () => call.write(replayAnswer(result.answer)) };
  }
  const { granted } = result;
  const admitted = granted === undefined ? admission : withGrant(request, plan, granted);
  const run = new RunningRequest(deps, call, admitted.request, admitted.plan);
  return { result, answer: () => answer(run, protocol) };
}

function answer(run: RunningRequest, protocol: ClientProtocol): Promise<WrittenAnswer> {
  const producer = new GenerationProducer(run, protocol);
  const answered = answerAdmitted(run, producer);
  return run.request.stream ? inTime(run, answered, producer) : answered;
}

/** Reads and plans the request for its admission. */
class GenerationPlanner implements RequestPlanner<ClientRequest, Plan> {
  readonly #deps: PipelineDeps;
  readonly #call: BilledCall;
  readonly #protocol: ClientProtocol;
  /** The reading of a large body: it is done once, however often the request is planned. */
  #large: ReturnType<PipelineDeps["large_bodies"]["read"]> | null = null;

  constructor(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol) {
    this.#deps = deps;
    this.#call = call;
    this.#protocol = protocol;
  }

  read(): Later<ClientRequest> {
    const { large_body } = this.#call;
    if (large_body !== null) this.#large ??= this.#readLarge(large_body);
    if (this.#large !== null) return this.#large;
    const request = this.#protocol.readRequest(this.#call.text, this.#call.headers);
    const { memory, configuration, log } = this.#deps;
    if (memory === null || request.protocol !== "responses") return request;
    const { account_id } = this.#call.key;
    const small = new SmallRecall(memory, LARGE_BYTES);
    const most_bytes = configuration.limits.body_bytes;
    const recalled = recallRequest({ memory: small, account_id, most_bytes, log }, request);
    return recalled instanceof Promise ? recalled.catch((thrown) => this.#orElsewhere(thrown)) : recalled;
  }

  /** Reads a small request that continues a large conversation as a large one. */
  #orElsewhere(thrown: unknown): Promise<ClientRequest> {
    if (!(thrown instanceof LargeRecall)) throw thrown;
    this.#large ??= this.#readLarge({ text: this.#call.text });
    return this.#large;
  }

  #readLarge(body: LargeBody | SmallBody): ReturnType<PipelineDeps["large_bodies"]["read"]> {
    const { large_bodies, memory, configuration } = this.#deps;
    const { headers, key, signal, idempotency_key } = this.#call;
    const { account_id } = key;
    return large_bodies.read({
      ...{ route: this.#protocol.endpoint, body, headers, account_id, signal },
      is_repeatable: idempotency_key !== null,
      recall: memory === null ? null : { account_id, most_bytes: configuration.limits.body_bytes },
    });
  }

  /** The request goes no further. */
  release(): void {
    this.#large?.then(
      ({ remote }) => remote.release(),
      () => {},
    );
  }

  plan(key: KeyRecord, request: ClientRequest): Later<Plan> {
    return planRequest(this.#deps, this.#call, key, request);
  }
}

/** How a generation request is answered: whole, or as a stream. */
class GenerationProducer implements AnswerProducer, EarlyAnswer {
  readonly #run: RunningRequest;
  readonly #protocol: ClientProtocol;
  readonly #asking: GenerationAsking;

  constructor(run: RunningRequest, protocol: ClientProtocol) {
    this.#run = run;
    this.#protocol = protocol;
    this.#asking = new GenerationAsking(run);
  }

  make(): Promise<ReadyAnswer> {
    return openAnswer(this.#run, this.#asking).then((opened) => this.#ready(opened));
  }

  get beat(): Uint8Array {
    return this.#protocol.beat;
  }

  begin(body: AnswerSource): WrittenAnswer {
    return this.#run.call.write({ status: 200, content_type: EVENT_STREAM, headers: factHeaders(this.#run), body });
  }

  failed(error: GatewayError): Uint8Array {
    const { plan, request_id } = this.#run;
    return this.#protocol.failedStream(error, { model: plan.model.id, request_id });
  }

  /** Synchronous where nothing has to be estimated or fetched, as with most answers. */
  #ready(opened: OpenedAnswer | AttemptVerdict): Later<ReadyAnswer> {
    if (!("kind" in opened)) throw opened.error;
    const run = this.#run;
    const { call } = run;
    run.receipt.ignored = opened.exchange.ignored;
    if (opened.kind === "stream") {
      const stream = new StreamedAnswer(run, opened, this);
      const answer = call.write({ status: 200, content_type: EVENT_STREAM, headers: factHeaders(run), body: stream });
      return { kind: "stream", answer, stream };
    }
    return then(finalUsage(run, opened.candidate, opened.answer, true), (final) =>
      then(shownBody(opened, final, run.cost_mark), (body) => readyWhole(run, final, body)),
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

/** The body that the client gets: it shows the billed usage where that is not the vendor's, and the mark of the cost. */
function shownBody(
  { answer }: OpenedWhole,
  { usage, estimated }: FinalUsage,
  cost: string | undefined,
): Later<SentBody> {
  const billed = estimated ? usage : null;
  return "body" in answer ? (answer.bodyWith?.(billed, cost) ?? answer.body) : answer.bodyWith(billed, cost);
}

/** A non-streamed answer with its head, and the settlement that must be durable before its first byte is sent. */
function readyWhole(
  run: RunningRequest,
  { candidate, usage, estimated, report }: FinalUsage,
  body: SentBody,
): ReadyWhole {
  const { call } = run;
  const kept = call.idempotency_key === null ? null : keptAnswer(run, body);
  return {
    kind: "whole",
    answer: { ...call.write({ status: 200, content_type: JSON_TYPE, headers: factHeaders(run), body }), body },
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

function keptAnswer(run: RunningRequest, body: SentBody): StoredAnswer | null {
  const bytes = bytesOf(body);
  if (bytes.byteLength > MAX_KEPT_BYTES) return null;
  return keptAnswerOf({ status: 200, content_type: JSON_TYPE, headers: factHeaders(run), body: bytes });
}
