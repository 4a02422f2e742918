import { type BookOp, namedAccount } from "../../ledger/books/book-op.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import type { JournalRow } from "./journal.ts";

/**
 * Accounts are written one by one (docs/design/storage.md), so the rows of some may have the changes of a batch of the journal, and those of
 * others not. An account's row says up to which commit all of its rows are complete.
 */
export type FoldedAccounts = ReadonlyMap<string, number>;

const selectFolded = sql("SELECT id, folded_seq FROM accounts WHERE folded_seq >= ?");
const selectAccounts = lookup("SELECT id, account_id FROM requests", { id: "text" });

/** The accounts whose rows have changes that are still in the journal, each with the commit up to which it has them. */
export function* readFoldedAccounts([first]: readonly JournalRow[]): Work<FoldedAccounts> {
  if (first === undefined) return new Map();
  const found = yield* rows<{ id: string; folded_seq: unknown }>(selectFolded, [first.seq]);
  return new Map(found.map(({ id, folded_seq }) => [id, toInt(folded_seq)]));
}

/** The places of a batch's operations whose changes are already in their accounts' rows. */
export function* doneOps(
  { seq }: Pick<JournalRow, "seq">,
  ops: readonly BookOp[],
  folded: FoldedAccounts,
): Work<ReadonlySet<number>> {
  const done = new Set<number>();
  if (folded.size === 0) return done;
  const account_of = yield* accountsOfRequests(ops);
  for (const [at, op] of ops.entries()) {
    const account_id = namedAccount(op) ?? ("request_id" in op ? account_of.get(op.request_id) : undefined);
    if (account_id !== undefined && (folded.get(account_id) ?? -1) >= seq) done.add(at);
  }
  return done;
}

/** The accounts of the requests that operations name: the batch admits them, or an earlier one did, which is written by now. */
function* accountsOfRequests(ops: readonly BookOp[]): Work<Map<string, string>> {
  const account_of = new Map<string, string>();
  for (const op of ops) if (op.op === "admit") account_of.set(op.request_id, op.account_id);
  const named = new Set<string>();
  for (const op of ops) if ("request_id" in op && !account_of.has(op.request_id)) named.add(op.request_id);
  const params = Array.from(named, (id) => [id]);
  const found = yield* rows<{ id: string; account_id: string }>(selectAccounts, params);
  for (const { id, account_id } of found) account_of.set(id, account_id);
  return account_of;
}
