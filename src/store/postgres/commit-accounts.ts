import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { BookOp } from "../../ledger/books/book-op.ts";
import type { RequestOwner } from "../batch/load-locked.ts";
import { partLookup } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { commitError, messageOf } from "./store-trouble.ts";

export interface AccountCommits {
  /** Looks up the owner of a request that this node does not remember. */
  readonly pool: PostgresDatabase;
  readonly open: OpenRequests;
  /** Commits operations of one account in one transaction. */
  commitBatch(ops: readonly LedgerOp[]): Promise<LedgerResult[]>;
}

interface OwnerRow extends RequestOwner {
  readonly id: string;
}

const selectOwners = partLookup("SELECT id, account_id, key_id FROM requests", ["id", "text"]);

/**
 * Commits each account's operations in a transaction of its own (docs/adr/0075) and returns the results in the order of the operations.
 * Where one transaction fails, the others are still committed; the error says that nothing happened only if that is true of all of them.
 * The ledger passes one account at a time, so an account's failure never concerns another.
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
  const batches = batchesByAccount(ops, accountOf, requestOf);
  if (batches.length === 1) return await commits.commitBatch(ops);
  return inOrder(batches, await Promise.allSettled(batches.map((batch) => commits.commitBatch(batch.ops))));
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
  batches: readonly AccountBatch<LedgerOp>[],
  ended: readonly PromiseSettledResult<LedgerResult[]>[],
): LedgerResult[] {
  const results: LedgerResult[] = [];
  const failed: unknown[] = [];
  for (const [index, each] of ended.entries()) {
    if (each.status === "rejected") failed.push(each.reason);
    else
      for (const [at, place] of (batches[index]?.places ?? []).entries())
        results[place] = each.value[at] as LedgerResult;
  }
  const [first] = failed;
  if (failed.length === 0) return results;
  if (failed.length === batches.length && failed.every(isSureOfNothing)) throw first;
  const trouble = first instanceof StoreUnavailable ? first.trouble : "busy";
  const message = `${failed.length} of ${batches.length} accounts could not be committed: ${messageOf(first)}`;
  throw new StoreUnavailable(trouble, message, { nothing_happened: false, cause: first });
}

/** Whether an error says that no operation took place. */
function isSureOfNothing(thrown: unknown): boolean {
  return !(thrown instanceof StoreUnavailable) || thrown.nothing_happened;
}

/** The most requests that are remembered. The account of a forgotten request is read from the database. */
const REMEMBERED = 50_000;

/** The accounts of the running requests that this node admitted: a batch that ends them need not look them up before it takes its locks. */
export class OpenRequests {
  readonly #owners = new Map<string, RequestOwner>();

  ownerOf(request_id: string): RequestOwner | undefined {
    return this.#owners.get(request_id);
  }

  /** Remembers a request that another process admitted, or that was forgotten. */
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

/** The operations of a batch that share one transaction, in their order, and their places in the batch. */
export interface AccountBatch<Op> {
  /** Null where the database has no such request. */
  readonly account_id: string | null;
  readonly ops: Op[];
  readonly places: number[];
}

/**
 * Splits a batch by account. The operations of a request that has no row are a batch by themselves, whose account is null: the request
 * may be admitted meanwhile, and has an account then.
 */
export function batchesByAccount<Op>(
  ops: readonly Op[],
  accountOf: (op: Op) => string | undefined,
  requestOf: (op: Op) => string,
): readonly AccountBatch<Op>[] {
  const batches = new Map<string, AccountBatch<Op>>();
  for (const [place, op] of ops.entries()) {
    const account_id = accountOf(op);
    const name = account_id === undefined ? `of request ${requestOf(op)}` : `of account ${account_id}`;
    const batch = batches.get(name) ?? { account_id: account_id ?? null, ops: [], places: [] };
    batch.ops.push(op);
    batch.places.push(place);
    batches.set(name, batch);
  }
  return [...batches.values()];
}
