import type { RemoteStream, RemoteWhole, StreamAnswer, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import { isLater, type Later, then } from "../../core/later.ts";
import { totalInput } from "../../core/money/usage.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import { judgeReportedFailure } from "../ask/attempt.ts";
import { type AttemptStrategy, seekAnswer } from "../ask/seek-answer.ts";
import { type AttemptVerdict, judgeBrokenOff, judgeEmpty, nullIfRefused } from "../ask/vendor-failure.ts";
import type { PreparedExchange } from "../plan/plan.ts";
import type { PlannedCandidate } from "../plan/prospects.ts";
import { pricedBy, targetOf } from "../plan/prospects.ts";
import { isLarge } from "../request/sizes.ts";
import { HoldGuard } from "./hold-guard.ts";
import type { RunningRequest } from "./running-request.ts";

/**
 * How many bytes of a vendor's stream are read for its first content, while what goes before it is held back: some vendors open
 * with two events that each repeat the request. Where more comes, the client gets it as it comes (docs/rulings.md 9).
 */
const MOST_OPENING_BYTES = 8 * 2 ** 20;

/** A vendor's answer that may go to the client: from here on there is no retry. */
export type OpenedAnswer = OpenedWhole | OpenedStream;

export interface OpenedWhole {
  readonly kind: "whole";
  readonly candidate: PlannedCandidate;
  readonly exchange: PreparedExchange;
  readonly answer: WholeAnswer | RemoteWhole;
}

export interface OpenedStream {
  readonly kind: "stream";
  readonly candidate: PlannedCandidate;
  readonly exchange: PreparedExchange;
  readonly reply: UpstreamReply;
  /** Ends with the stream. */
  readonly metered: MeteredCall;
  readonly answer: StreamAnswer | RemoteStream;
  readonly guard: HoldGuard;
  /** The first bytes for the client: all that came before the first content, and that content. */
  readonly first: Uint8Array;
}

/**
 * The answer to a generation request, from the first candidate that gives one. Resolves with the last failure when none
 * does.
 */
export function openAnswer(run: RunningRequest): Promise<OpenedAnswer | AttemptVerdict> {
  const asking = new GenerationAsking(run);
  return seekAnswer<PlannedCandidate, PreparedExchange, OpenedAnswer>(run, run.plan.candidates, asking);
}

/** How a generation request is put to one candidate after the other. */
class GenerationAsking implements AttemptStrategy<PlannedCandidate, PreparedExchange, OpenedAnswer> {
  readonly #run: RunningRequest;

  constructor(run: RunningRequest) {
    this.#run = run;
  }

  /**
   * Null for a fallback that cannot honour the request: it is skipped. The first exchange was prepared with the plan.
   */
  exchangeFor(candidate: PlannedCandidate, index: number): Later<PreparedExchange | null> {
    return then(this.#exchangeFor(candidate, index), (exchange) => {
      if (exchange !== null) this.#run.receipt.ignored = exchange.ignored;
      return exchange;
    });
  }

  #exchangeFor(candidate: PlannedCandidate, index: number): Later<PreparedExchange | null> {
    const { plan, request, call } = this.#run;
    if (index === 0 && plan.first_exchange !== null) return plan.first_exchange;
    const { remote } = request;
    if (remote !== undefined) return remote.prepare(targetOf(candidate), request.granted_cap).catch(nullIfRefused);
    try {
      return candidate.adapter.prepare(request, targetOf(candidate), call.headers);
    } catch (thrown) {
      return nullIfRefused(thrown);
    }
  }

  open(
    candidate: PlannedCandidate,
    exchange: PreparedExchange,
    reply: UpstreamReply,
    metered: MeteredCall,
  ): Later<OpenedAnswer | AttemptVerdict> {
    const run = this.#run;
    candidate = pricedBy(candidate, exchange);
    run.vendor_call.begun = { candidate, report: null };
    if (run.request.stream) return openStream(run, candidate, exchange, { reply, metered });
    if (exchange.readPieces !== undefined)
      return then(reply.readInPieces(), (body) => readPieces(run, candidate, exchange, { body, reply }));
    return then(reply.readWhole(), (body) => readWhole(run, candidate, exchange, { body, reply }));
  }
}

function readPieces(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: PreparedExchange,
  { body, reply }: { readonly body: WholeBody | readonly Buffer[]; readonly reply: UpstreamReply },
): Later<OpenedWhole | AttemptVerdict> {
  if (!isPieces(body)) return readWhole(run, candidate, exchange, { body, reply });
  const read = exchange.readPieces?.(body) ?? null;
  if (read !== null) return judgeWhole(run, candidate, exchange, read);
  return readWhole(run, candidate, exchange, { body: Buffer.concat(body), reply });
}

function isPieces(body: WholeBody | readonly Buffer[]): body is readonly Buffer[] {
  return Array.isArray(body);
}

function readWhole(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: PreparedExchange,
  { body, reply }: ReceivedWhole,
): Later<OpenedWhole | AttemptVerdict> {
  const answer: Later<WholeAnswer | RemoteWhole> =
    isLarge(body) && run.request.remote === undefined && exchange.is_light !== true
      ? readLargeAnswer(run, candidate, { body, reply })
      : exchange.readWhole(body, toldTokens(exchange, reply));
  return then(answer, (read) => judgeWhole(run, candidate, exchange, read));
}

/**
 * Reads a large answer to a request that is not large, in a body worker: the request is read and prepared there once more,
 * as the answer is read by what was asked for (docs/adr/0027-body-workers.md).
 */
async function readLargeAnswer(
  run: RunningRequest,
  candidate: PlannedCandidate,
  { body, reply }: ReceivedWhole,
): Promise<RemoteWhole> {
  const { call, request, deps } = run;
  const remote = await deps.large_bodies.adopt(call.endpoint, request, call.headers);
  run.keepsUntilEnd(remote);
  const exchange = await remote.prepare(targetOf(candidate), request.granted_cap);
  return await exchange.readWhole(body, toldTokens(exchange, reply));
}

/** The body of an answer that is not streamed, and the reply that it came with. */
interface ReceivedWhole {
  readonly body: WholeBody;
  readonly reply: Pick<UpstreamReply, "headers">;
}

/** The input tokens that the vendor counts in a header, where it does. */
function toldTokens(
  { tokens_header }: PreparedExchange,
  { headers }: Pick<UpstreamReply, "headers">,
): number | undefined {
  const tokens = tokens_header === undefined ? null : headers.get(tokens_header);
  return tokens !== null && /^\d{1,10}$/.test(tokens) ? Number(tokens) : undefined;
}

function judgeWhole(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: PreparedExchange,
  answer: WholeAnswer | RemoteWhole,
): OpenedWhole | AttemptVerdict {
  if (answer.failure !== null) return judgeReportedFailure(run, candidate, answer.failure);
  if (isNoAnswer(answer)) return judgeEmpty();
  return { kind: "whole", candidate, exchange, answer };
}

/**
 * Reads a stream up to its first content, and holds back what goes before it: until then another vendor may answer, whatever the
 * failure is, and in whatever pieces it comes (docs/rulings.md 9).
 */
async function openStream(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: PreparedExchange,
  { reply, metered }: Pick<OpenedStream, "reply" | "metered">,
): Promise<OpenedStream | AttemptVerdict> {
  const answer = exchange.openStream();
  run.vendor_call.begun = { candidate, report: answer };
  const guard = new HoldGuard(run, candidate);
  const held: Uint8Array[] = [];
  let read_bytes = 0;
  try {
    for (;;) {
      const received = guard.waiting ?? (await reply.read());
      // Output beyond the limit is no longer withheld, so it may be read in pieces of any size.
      const most = read_bytes < MOST_OPENING_BYTES ? MOST_OPENING_BYTES - read_bytes : Number.POSITIVE_INFINITY;
      const chunk = received === null ? null : guard.takeCovered(received, answer.output_bytes, most);
      const given = chunk === null ? answer.end() : answer.push(chunk);
      const sent = isLater(given) ? await given : given;
      if (answer.failure !== null && !answer.has_content) {
        reply.close();
        return judgeReportedFailure(run, candidate, answer.failure);
      }
      if (sent.byteLength > 0) held.push(sent);
      read_bytes += chunk?.byteLength ?? 0;
      const is_over = answer.terminated || (chunk === null && answer.complete);
      if (is_over && isNoAnswer(answer)) {
        reply.close();
        return judgeEmpty();
      }
      if (answer.has_content || is_over || (read_bytes >= MOST_OPENING_BYTES && held.length > 0))
        return { kind: "stream", candidate, exchange, reply, metered, answer, guard, first: joined(held) };
      if (chunk === null) return held.length > 0 ? judgeBrokenOff() : judgeEmpty();
    }
  } catch (thrown) {
    reply.close();
    throw thrown;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/**
 * Whether an answer that ended well is none all the same, whole or streamed: nothing of it was delivered, and its vendor
 * counts neither an input nor an output (docs/rulings.md 172). An empty turn that is counted is an answer, as models make
 * such turns. Where the gateway itself cut the answer off, the vendor has not counted yet.
 */
export function isNoAnswer(answer: Pick<StreamAnswer, "has_content" | "usage" | "ended_early">): boolean {
  const { usage } = answer;
  if (usage === null || usage.output_tokens > 0 || totalInput(usage) > 0) return false;
  // The output of a whole answer is read last, because it is searched for in the answer's text.
  return answer.ended_early !== true && !answer.has_content;
}
