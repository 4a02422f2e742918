import type { AccountBook, BookEntry, ClientCall, Receipt, RoundHistory, VendorCall } from "../history.ts";

/** A round's history, indexed by what its checks look for. */
export interface RoundIndex {
  readonly history: RoundHistory;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** Client's id of a call → the receipts of that name. */
  readonly receipts_by_call: ReadonlyMap<string, readonly Receipt[]>;
  readonly calls: ReadonlyMap<string, ClientCall>;
  /** Client's id of a call → what vendors were asked for it. */
  readonly asked: ReadonlyMap<string, readonly VendorCall[]>;
  /** Request id → the entries of its account that name it. */
  readonly entries: ReadonlyMap<string, readonly BookEntry[]>;
}

export function indexOf(history: RoundHistory): RoundIndex {
  const receipts = history.accounts.flatMap((account: AccountBook) => account.receipts);
  const entries = history.accounts.flatMap((account) => account.entries).filter(({ request }) => request !== null);
  return {
    history,
    receipts: new Map(receipts.map((receipt) => [receipt.id, receipt])),
    receipts_by_call: Map.groupBy(receipts, (receipt) => receipt.client_request_id ?? ""),
    calls: new Map(history.calls.map((call) => [call.id, call])),
    asked: Map.groupBy(history.vendor, ({ call_id }) => call_id),
    entries: Map.groupBy(entries, ({ request }) => request ?? ""),
  };
}

/** A node needs this long to end what a client saw end: a death within it may have hit the call. */
const AFTERWARDS_MS = 2_000;

/** Whether the call's node was dead, or died while it may still have been at work on the call. */
export function diedDuring({ history }: RoundIndex, call: ClientCall): boolean {
  return history.deaths.some(
    ({ node, from_ms, until_ms }) =>
      node === call.node && from_ms <= call.ended_ms + AFTERWARDS_MS && until_ms >= call.began_ms,
  );
}
