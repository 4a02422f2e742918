import { costOf, usageOf } from "../cost.ts";
import type { BookEntry, Receipt } from "../history.ts";
import type { Finding } from "./finding.ts";
import type { RoundIndex } from "./ledger-index.ts";

/** One receipt, with its entries, and with what its client asked and its vendor did. */
export function* checkReceipt(index: RoundIndex, receipt: Receipt): Generator<Finding> {
  yield* checkEntries(receipt, index.entries.get(receipt.id) ?? []);
  yield* checkAmount(receipt);
  yield* checkOrigin(index, receipt);
}

/** A receipt has ended, and its entries say what it says. */
export function* checkEntries(
  { id, status, charge_micro }: Receipt,
  entries: readonly BookEntry[],
): Generator<Finding> {
  if (status === "held") yield { kind: "held", what: `${id} is held at rest` };
  const charges = entries.filter(({ kind }) => kind === "charge");
  if (charges.length > 1) yield { kind: "doubled", what: `${id} has ${charges.length} charges` };
  const posted = -entries.reduce((sum, { amount_micro }) => sum + amount_micro, 0);
  if (posted !== charge_micro)
    yield { kind: "books", what: `${id} says that ${charge_micro} micro were charged, and its entries ${posted}` };
}

/** A charge is what the usage costs, less what the operator bears, and within the hold. */
export function* checkAmount(receipt: Receipt): Generator<Finding> {
  const { id, charge_micro, hold_micro, operator_loss_micro } = receipt;
  if (charge_micro > hold_micro)
    yield { kind: "amount", what: `${id} was charged ${charge_micro} micro, with a hold of ${hold_micro}` };
  const usage = usageOf(receipt);
  if (usage === null) {
    if (charge_micro > 0) yield { kind: "amount", what: `${id} was charged ${charge_micro} micro without a usage` };
    return;
  }
  const cost_micro = costOf(usage);
  if (charge_micro + operator_loss_micro !== cost_micro)
    yield {
      kind: "amount",
      what: `${id} was charged ${charge_micro} micro with a loss of ${operator_loss_micro}, and its usage costs ${cost_micro}`,
    };
}

/** What was charged was asked by a client, was asked of a vendor, and was given. */
function* checkOrigin({ calls, asked }: RoundIndex, receipt: Receipt): Generator<Finding> {
  const { id, client_request_id, charge_micro } = receipt;
  const call = calls.get(client_request_id ?? "");
  if (call === undefined) {
    yield { kind: "invented", what: `${id} is of no client's call (${client_request_id})` };
    return;
  }
  if (charge_micro === 0) return;
  const vendors = asked.get(call.prompt_id) ?? [];
  if (vendors.length === 0)
    yield { kind: "invented", what: `${id} was charged ${charge_micro} micro, and no vendor was asked` };
  else if (vendors.every(({ delivered }) => delivered === "none"))
    yield { kind: "invented", what: `${id} was charged ${charge_micro} micro, and no vendor gave an answer` };
}
