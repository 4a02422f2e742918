import { costOf, usageOf } from "../cost.ts";
import type { ClientCall, Receipt, TrueUsage } from "../history.ts";
import { modelOf } from "../models.ts";
import type { Finding } from "./finding.ts";
import { diedDuring, type RoundIndex } from "./ledger-index.ts";

/** Statuses that a client of this load may get; all others are mistakes of the gateway. */
const EXPECTED = new Set([200, 402, 409, 429, 502, 503]);

/** One call: its answer was allowed, and what its client got is in the books. */
export function* checkCall(index: RoundIndex, call: ClientCall): Generator<Finding> {
  const { status, ending } = call;
  if (ending === "unanswered") yield { kind: "answer", what: `${named(call)} got no answer and no end` };
  if (ending === "cut off" && !diedDuring(index, call))
    yield { kind: "answer", what: `${named(call)} lost its connection without an answer, and its node lived` };
  if (status !== null && !EXPECTED.has(status))
    yield { kind: "answer", what: `${named(call)} got status ${status} (${call.error})` };
  const echoes = modelOf(call.model)?.echoes ?? false;
  if (ending === "whole" && echoes && !call.replayed && !call.text.includes(call.prompt_id))
    yield { kind: "answer", what: `${named(call)} got another call's answer: ${call.text.slice(0, 80)}` };
  // What is gone may be all of a request or its end alone, after which it looks as if its process had died.
  if (index.history.told_loss && ending !== "refused") return;
  if (ending === "whole" && !call.replayed) yield* checkDelivered(index, call);
  else if (ending === "refused") yield* checkRefused(index, call);
  else if (!call.replayed && call.text !== "") yield* checkPart(index, call);
}

/** A whole answer is charged once, whatever became of its node: its end left after the charge was durable. */
function* checkDelivered(index: RoundIndex, call: ClientCall): Generator<Finding> {
  const receipt = index.receipts.get(call.request_id ?? "");
  if (receipt === undefined) {
    yield { kind: "lost", what: `${named(call)} was delivered, and ${call.request_id} has no receipt` };
    return;
  }
  const usage = usageOf(receipt);
  if (receipt.status === "voided" || usage === null || costOf(usage) === 0) {
    yield {
      kind: "lost",
      what: `${named(call)} was delivered, and ${receipt.id} is ${receipt.status} without a charge`,
    };
    return;
  }
  yield* checkUsage(index, call, receipt, usage);
}

function* checkUsage(index: RoundIndex, call: ClientCall, receipt: Receipt, usage: TrueUsage): Generator<Finding> {
  if (call.output_tokens !== null && call.output_tokens !== usage.output && !receipt.estimated)
    yield {
      kind: "amount",
      what: `${named(call)} was told of ${call.output_tokens} output tokens, and ${receipt.id} of ${usage.output}`,
    };
  const whole = (index.asked.get(call.prompt_id) ?? []).filter(({ delivered }) => delivered === "whole");
  const honest = whole.filter(({ reporting }) => reporting === "true");
  if (honest.length === 0 || honest.length < whole.length) return;
  const told = honest.some((answer) => answer.usage !== null && sameUsage(answer.usage, usage));
  if (!told || receipt.estimated)
    yield {
      kind: "amount",
      what: `${named(call)}: the vendor counted ${JSON.stringify(honest.at(-1)?.usage)}, and ${receipt.id} has ${JSON.stringify(usage)}${receipt.estimated ? ", an estimate" : ""}`,
    };
}

function sameUsage(one: TrueUsage, other: TrueUsage): boolean {
  return (
    one.input === other.input &&
    one.cache_read === other.cache_read &&
    one.cache_write === other.cache_write &&
    one.output === other.output
  );
}

/** A client that got an error in place of an answer pays nothing (docs/billing.md). */
function* checkRefused({ receipts_by_call }: RoundIndex, call: ClientCall): Generator<Finding> {
  for (const { id, charge_micro } of receipts_by_call.get(call.id) ?? []) {
    if (charge_micro > 0)
      yield {
        kind: "invented",
        what: `${named(call)} was refused with ${call.status}, and ${id} charged ${charge_micro}`,
      };
  }
}

/** A part of an answer is charged, unless the node died: then only what was recorded of it (docs/billing.md). */
function* checkPart(index: RoundIndex, call: ClientCall): Generator<Finding> {
  if (diedDuring(index, call)) return;
  const receipt = index.receipts.get(call.request_id ?? "");
  const usage = receipt === undefined ? null : usageOf(receipt);
  if (usage !== null && costOf(usage) > 0) return;
  const found = receipt === undefined ? "there is no receipt" : `${receipt.id} is ${receipt.status} without a charge`;
  yield { kind: "lost", what: `${named(call)} ended ${call.ending} after content, and ${found}` };
}

function named({ id, endpoint, model, stream }: ClientCall): string {
  return `${id} (${endpoint} ${model}${stream ? " stream" : ""})`;
}
