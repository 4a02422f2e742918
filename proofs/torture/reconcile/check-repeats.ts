import type { ClientCall } from "../history.ts";
import type { Finding } from "./finding.ts";
import type { RoundIndex } from "./ledger-index.ts";

/** Calls with one idempotency key: at most one is charged, at most one is answered anew, and a replay says what it said. */
export function* checkRepeats({ history, receipts_by_call }: RoundIndex): Generator<Finding> {
  const repeated = history.calls.filter(({ idempotency_key }) => idempotency_key !== null);
  for (const calls of Map.groupBy(repeated, (call) => `${call.account} ${call.idempotency_key}`).values()) {
    const name = `the key ${calls[0]?.idempotency_key}`;
    const receipts = calls.flatMap(({ id }) => receipts_by_call.get(id) ?? []);
    const charged = receipts.filter(({ charge_micro }) => charge_micro > 0);
    if (charged.length > 1)
      yield { kind: "doubled", what: `${name} was charged ${charged.length} times: ${charged.map(({ id }) => id)}` };
    // A repeat has taken the key over from a node that was paused: what that node still answered is the operator's loss.
    const taken = (id: string) =>
      receipts_by_call.get(id)?.some((each) => each.charge_micro === 0 && each.operator_loss_micro > 0);
    const whole = calls.filter(({ id, ending, replayed }) => ending === "whole" && (replayed || !taken(id)));
    const anew = whole.filter(({ replayed }) => !replayed);
    if (anew.length > 1 && !history.told_loss)
      yield { kind: "doubled", what: `${name} was answered ${anew.length} times: ${anew.map(({ id }) => id)}` };
    if (!history.told_loss) yield* checkReplays(name, anew[0], whole);
  }
}

function* checkReplays(name: string, anew: ClientCall | undefined, whole: readonly ClientCall[]): Generator<Finding> {
  const [first] = anew === undefined ? whole : [anew];
  for (const { id, text } of whole) {
    if (first !== undefined && text !== first.text)
      yield { kind: "answer", what: `${id} repeats ${name}, and got another answer than ${first.id}` };
  }
}
