import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { BookOp } from "../../ledger/books/book-op.ts";
import type { RequestOwner } from "../batch/load-locked.ts";
import { partLookup } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { commitError, messageOf } from "./store-trouble.ts";

export interface AccountCommits {
  /** Where the owner of a request is looked up that this node does not know. */
  readonly pool: PostgresDatabase;
  readonly open: OpenRequests;
  /** Commits operations of one account in one transaction. */
  commitPart(ops: readonly LedgerOp[]): Promise<LedgerResult[]>;
}

interface OwnerRow extends RequestOwner {
  readonly id: string;
}

const selectOwners = partLookup("SELECT id, account_id, key_id FROM requests", ["id", "text"]);

/**
 * Commits each account's operations in a transaction of its own (docs/adr/0075); results in the order of the operations. Where one fails the
 * others go on, and what is thrown says that nothing happened only if that is true of all. The ledger asks for one account at a time, so what
 * becomes of one never concerns another.
 */
export async function commitAccounts(commits: AccountCommits, ops: readonly LedgerOp[]): Promise<LedgerResult[]> {
  const { open } = commits;
  const accounts = new Map<string, string>();
  for (const op of ops) if (op.op === "admit") accounts.set(op.request_id, op.account_id);
  const accountOf = (op: LedgerOp): string | undefined =>
    op.account_id ?? accounts.get(requestOf(op)) ?? open.ownerOf(requestOf(op))?.account_id;
  const unknown = new Set(ops.filter((op) => accountOf(op) === undefined).map(requestOf));
  if (unknown.size > 0) {
    for (const { id, ...owner } of await ownersOf(commits.pool, unknown)) open.learn(id, owner);
  }
  const parts = partsOf(ops, accountOf, requestOf);
  if (parts.length === 1) return await commits.commitPart(ops);
  return inOrder(parts, await Promise.allSettled(parts.map((part) => commits.commitPart(part.ops))));
}

function requestOf(op: LedgerOp): string {
  return "request_id" in op ? op.request_id : "";
}

async function ownersOf(pool: PostgresDatabase, request_ids: ReadonlySet<string>): Promise<readonly OwnerRow[]> {
  try {
    return await pool.read(() => findOwners(request_ids));
  } catch (thrown) {
    throw commitError(thrown);
  }
}

function* findOwners(request_ids: ReadonlySet<string>): Work<readonly OwnerRow[]> {
  return yield* rows<OwnerRow>(
    selectOwners,
    Array.from(request_ids, (id) => [id]),
  );
}

function inOrder(
  parts: readonly Part<LedgerOp>[],
  ended: readonly PromiseSettledResult<LedgerResult[]>[],
): LedgerResult[] {
  const results: LedgerResult[] = [];
  const failed: unknown[] = [];
  for (const [index, each] of ended.entries()) {
    if (each.status === "rejected") failed.push(each.reason);
    else
      for (const [at, place] of (parts[index]?.places ?? []).entries()) results[place] = each.value[at] as LedgerResult;
  }
  const [first] = failed;
  if (failed.length === 0) return results;
  if (failed.length === parts.length && failed.every(isSureOfNothing)) throw first;
  const trouble = first instanceof StoreUnavailable ? first.trouble : "busy";
  const message = `${failed.length} of ${parts.length} accounts could not be committed: ${messageOf(first)}`;
  throw new StoreUnavailable(trouble, message, { nothing_happened: false, cause: first });
}

/** Whether an error says that nothing of what was asked for took place. */
function isSureOfNothing(thrown: unknown): boolean {
  return !(thrown instanceof StoreUnavailable) || thrown.nothing_happened;
}

/** How many requests are remembered at most. Of a request that is forgotten the database is asked. */
const REMEMBERED = 50_000;

/** The accounts of the running requests that this node admitted: a batch that ends them need not look them up before it takes its locks. */
export class OpenRequests {
  readonly #owners = new Map<string, RequestOwner>();

  ownerOf(request_id: string): RequestOwner | undefined {
    return this.#owners.get(request_id);
  }

  /** Takes note of a request that another process admitted, or that was forgotten. */
  learn(request_id: string, owner: RequestOwner): void {
    if (this.#owners.size >= REMEMBERED) this.#owners.clear();
    this.#owners.set(request_id, owner);
  }

  note(ops: readonly BookOp[], results: readonly { readonly outcome: string }[]): void {
    for (const [index, op] of ops.entries()) {
      if (op.op === "settle" || op.op === "void") this.#owners.delete(op.request_id);
      if (op.op !== "admit" || results[index]?.outcome !== "admitted") continue;
      this.learn(op.request_id, { account_id: op.account_id, key_id: op.key_id });
    }
  }
}

/** The operations of a batch that belong to one transaction, in their order, and where they stand in the batch. */
export interface Part<Op> {
  /** Null: a request that the database does not know. */
  readonly account_id: string | null;
  readonly ops: Op[];
  readonly places: number[];
}

/**
 * Parts a batch by account. An operation without an account is of a request that nobody knows: all of one such request are a part, because a
 * request that turns up meanwhile has an account after all.
 */
export function partsOf<Op>(
  ops: readonly Op[],
  accountOf: (op: Op) => string | undefined,
  requestOf: (op: Op) => string,
): readonly Part<Op>[] {
  const parts = new Map<string, Part<Op>>();
  for (const [place, op] of ops.entries()) {
    const account_id = accountOf(op);
    const name = account_id === undefined ? `of request ${requestOf(op)}` : `of account ${account_id}`;
    const part = parts.get(name) ?? { account_id: account_id ?? null, ops: [], places: [] };
    part.ops.push(op);
    part.places.push(place);
    parts.set(name, part);
  }
  return [...parts.values()];
}
