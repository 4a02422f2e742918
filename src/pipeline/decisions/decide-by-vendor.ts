import type { VendorDecision } from "../../core/decision.ts";
import { GatewayError } from "../../core/errors.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import { countDecision } from "./count-decision.ts";
import type { Decided, RunningDecision } from "./running-decision.ts";
import type { NativeCandidate, NativeSource } from "./decide-plan.ts";
import { type DecisionExchange, prepareDecision } from "./decision-exchange.ts";
import { seekAnswer } from "../asking/seek-answer.ts";
import type { AttemptVerdict } from "../asking/vendor-failure.ts";

interface OpenedDecision {
  readonly kind: "decision";
  readonly candidate: NativeCandidate;
  readonly exchange: DecisionExchange;
  readonly decision: VendorDecision;
}

/** Lets a vendor decide that speaks a decision protocol. Resolves with the last failure when no vendor decided. */
export async function decideByVendor(run: RunningDecision, source: NativeSource): Promise<Decided | AttemptVerdict> {
  const opened = await askVendors(run, source);
  return "kind" in opened ? await decidedBy(run, source, opened) : opened;
}

async function decidedBy(run: RunningDecision, source: NativeSource, opened: OpenedDecision): Promise<Decided> {
  const { candidate, exchange, decision } = opened;
  run.call.notes.ignored = exchange.ignored;
  const { answers, input_tokens } = decision;
  const decided = { kind: "decided", source, answers, headers: {} } as const;
  if (input_tokens !== null) return { ...decided, input_tokens, estimated: false };
  run.deps.metrics.estimated.add(1, candidate.vendor.id, "missing");
  return { ...decided, input_tokens: await countDecision(run), estimated: true };
}

function askVendors(run: RunningDecision, source: NativeSource): Promise<OpenedDecision | AttemptVerdict> {
  const asking = {
    exchangeFor: (candidate: NativeCandidate) => exchangeFor(run, candidate),
    open: async (
      candidate: NativeCandidate,
      exchange: DecisionExchange,
      reply: UpstreamReply,
    ): Promise<OpenedDecision> => {
      const decision = exchange.readDecision(await reply.readWhole());
      return { kind: "decision", candidate, exchange, decision };
    },
  };
  return seekAnswer(run, source.candidates, asking, run);
}

/** Null for a vendor that cannot be asked this: it is skipped. The first exchange was prepared with the plan. */
function exchangeFor(run: RunningDecision, candidate: NativeCandidate): DecisionExchange | null {
  const { first_exchange, sources } = run.plan;
  if (first_exchange !== null && candidate === sources[0]?.candidates[0]) return first_exchange;
  try {
    return prepareDecision(candidate, run.request.decision, run.call.headers);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}
