import { GatewayError } from "../../core/errors.ts";
import type { Exchange, StreamAnswer, WholeAnswer, WholeBody } from "../../core/exchange.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import { judgeInside } from "../asking/attempt.ts";
import { HoldGuard } from "./hold-guard.ts";
import { type PlannedCandidate, targetOf } from "./plan.ts";
import { pricedBy } from "./priced-exchange.ts";
import type { RunningRequest } from "./running-request.ts";
import { type Asking, seekAnswer } from "../asking/seek-answer.ts";
import { type AttemptVerdict, judgeEmpty } from "../asking/vendor-failure.ts";

/** A vendor's answer that may go to the client: from here on there is no retry. */
export type OpenedAnswer = OpenedWhole | OpenedStream;

export interface OpenedWhole {
  readonly kind: "whole";
  readonly candidate: PlannedCandidate;
  readonly exchange: Exchange;
  readonly answer: WholeAnswer;
}

export interface OpenedStream {
  readonly kind: "stream";
  readonly candidate: PlannedCandidate;
  readonly exchange: Exchange;
  readonly reply: UpstreamReply;
  /** Ends with the stream. */
  readonly metered: MeteredCall;
  readonly answer: StreamAnswer;
  readonly guard: HoldGuard;
  /** The first bytes for the client: at least one whole event, unless the stream was complete at once. */
  readonly first: Uint8Array;
}

/**
 * The answer to a generation request, from the first candidate that gives one. Resolves with the last failure when none
 * does.
 */
export function openAnswer(run: RunningRequest): Promise<OpenedAnswer | AttemptVerdict> {
  return seekAnswer<PlannedCandidate, Exchange, OpenedAnswer>(run, run.plan.candidates, new GenerationAsking(run), run);
}

class GenerationAsking implements Asking<PlannedCandidate, Exchange, OpenedAnswer> {
  readonly #run: RunningRequest;

  constructor(run: RunningRequest) {
    this.#run = run;
  }

  /**
   * Null for a fallback that cannot honour the request: it is skipped. The first exchange was prepared with the plan.
   */
  exchangeFor(candidate: PlannedCandidate, index: number): Exchange | null {
    const { plan, request, call } = this.#run;
    if (index === 0 && plan.first_exchange !== null) return plan.first_exchange;
    try {
      return candidate.way.prepare(request, targetOf(candidate), call.headers);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return null;
      throw thrown;
    }
  }

  open(
    candidate: PlannedCandidate,
    exchange: Exchange,
    reply: UpstreamReply,
    metered: MeteredCall,
  ): Promise<OpenedAnswer | AttemptVerdict> | OpenedAnswer | AttemptVerdict {
    const run = this.#run;
    candidate = pricedBy(candidate, exchange);
    run.begun = { candidate, report: null };
    if (run.request.stream) return openStream(run, candidate, exchange, { reply, metered });
    const body = reply.readWhole();
    return body instanceof Promise
      ? body.then((later) => readWhole(run, candidate, exchange, later))
      : readWhole(run, candidate, exchange, body);
  }
}

function readWhole(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: Exchange,
  body: WholeBody,
): OpenedWhole | AttemptVerdict {
  const answer = exchange.readWhole(body);
  if (answer.failure !== null) return judgeInside(run, candidate, answer.failure);
  return { kind: "whole", candidate, exchange, answer };
}

async function openStream(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: Exchange,
  { reply, metered }: Pick<OpenedStream, "reply" | "metered">,
): Promise<OpenedStream | AttemptVerdict> {
  const answer = exchange.openStream();
  run.begun = { candidate, report: answer };
  const guard = new HoldGuard(run, candidate);
  try {
    for (;;) {
      const came = guard.waiting ?? (await reply.read());
      const chunk = came === null ? null : guard.cover(came, answer.output_bytes);
      const first = chunk === null ? answer.end() : answer.push(chunk);
      // A failure that arrives with the opening frames still sets the status, unless content came before it.
      if (answer.failure !== null && !answer.has_content) {
        reply.close();
        return judgeInside(run, candidate, answer.failure);
      }
      if (first.byteLength > 0 || answer.terminated)
        return { kind: "stream", candidate, exchange, reply, metered, answer, guard, first };
      if (chunk === null) return judgeEmpty();
    }
  } catch (thrown) {
    reply.close();
    throw thrown;
  }
}
