import type { RoundHistory } from "../history.ts";
import { checkAccount } from "./check-accounts.ts";
import { checkCall } from "./check-calls.ts";
import { checkReceipt } from "./check-receipts.ts";
import { checkRepeats } from "./check-repeats.ts";
import type { Finding } from "./finding.ts";
import { indexOf } from "./ledger-index.ts";

/**
 * Compares what the clients saw, what the vendors did and what the books say of a round that is at rest. Returns every
 * contradiction to docs/money.md; none where all is well. Reads nothing but its argument.
 */
export function reconcile(history: RoundHistory): Finding[] {
  const index = indexOf(history);
  return [
    ...history.accounts.flatMap((account) => [...checkAccount(account)]),
    ...[...index.receipts.values()].flatMap((receipt) => [...checkReceipt(index, receipt)]),
    ...history.calls.flatMap((call) => [...checkCall(index, call)]),
    ...checkRepeats(index),
    ...history.audit.map((what): Finding => ({ kind: "audit", what })),
  ];
}
