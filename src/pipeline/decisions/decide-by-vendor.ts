import type { VendorDecision } from "../../core/answer/decision.ts";
import { isLater, type Later } from "../../core/later.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import { seekAnswer } from "../ask/seek-answer.ts";
import { type AttemptVerdict, nullIfRefused } from "../ask/vendor-failure.ts";
import { TEMPLATE_TOKENS } from "../usage/believed-usage.ts";
import { countDecision } from "./count-decision.ts";
import { type DecisionExchange, prepareDecision } from "./decision-exchange.ts";
import type { NativeCandidate, NativeSource } from "./decision-source.ts";
import type { DecidedAnswers, RunningDecision } from "./running-decision.ts";

interface OpenedDecision {
  readonly kind: "decision";
  readonly candidate: NativeCandidate;
  readonly exchange: DecisionExchange;
  readonly decision: VendorDecision;
}

/** Lets a vendor decide that speaks a decision protocol. Resolves with the last failure when no vendor decided. */
export async function decideByVendor(
  run: RunningDecision,
  source: NativeSource,
): Promise<DecidedAnswers | AttemptVerdict> {
  const opened = await askVendors(run, source);
  return "kind" in opened ? await decidedBy(run, source, opened) : opened;
}

async function decidedBy(run: RunningDecision, source: NativeSource, opened: OpenedDecision): Promise<DecidedAnswers> {
  const { candidate, exchange, decision } = opened;
  run.receipt.ignored = exchange.ignored;
  const { answers, usage, rejected_usage } = decision;
  const decided = { kind: "decided", source, answers, headers: {} } as const;
  if (usage !== null && isBelieved(usage, run)) return { ...decided, usage, estimated: false };
  const doubted = usage ?? rejected_usage;
  if (doubted === null) run.deps.metrics.estimated.add(1, candidate.vendor.id, "missing");
  else noteDisbelief(run, candidate, doubted);
  return { ...decided, usage: await countDecision(run, source), estimated: true };
}

/** Whether a vendor's count is within the bound of the input (docs/rulings.md 145). */
function isBelieved(usage: Usage, { request }: RunningDecision): boolean {
  return totalInput(usage) <= request.input_bound_tokens + TEMPLATE_TOKENS;
}

function noteDisbelief({ call, deps }: RunningDecision, { vendor, model }: NativeCandidate, usage: unknown): void {
  deps.metrics.disbelieved.add(1, vendor.id, "input");
  deps.metrics.estimated.add(1, vendor.id, "unbelievable");
  deps.log.warn(
    { request_id: call.request_id, vendor: vendor.id, model: model.id, usage, doubted: ["input"] },
    "a vendor's usage is not believed: it exceeds what was asked for, or counts nothing",
  );
}

function askVendors(run: RunningDecision, source: NativeSource): Promise<OpenedDecision | AttemptVerdict> {
  const strategy = {
    exchangeFor: (candidate: NativeCandidate) => exchangeFor(run, candidate),
    open: async (
      candidate: NativeCandidate,
      exchange: DecisionExchange,
      reply: UpstreamReply,
    ): Promise<OpenedDecision> => {
      const decision = exchange.readDecision(await reply.readSmall());
      return { kind: "decision", candidate, exchange, decision };
    },
  };
  return seekAnswer(run, source.candidates, strategy);
}

/** Null for a vendor that cannot be asked this: it is skipped. The first exchange was prepared with the plan. */
function exchangeFor(run: RunningDecision, candidate: NativeCandidate): Later<DecisionExchange | null> {
  const { first_exchange, sources } = run.plan;
  if (first_exchange !== null && candidate === sources[0]?.candidates[0]) return first_exchange;
  try {
    const prepared = prepareDecision(candidate, run.request, run.call.headers);
    return isLater(prepared) ? prepared.catch(nullIfRefused) : prepared;
  } catch (thrown) {
    return nullIfRefused(thrown);
  }
}
