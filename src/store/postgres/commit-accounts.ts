import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { RequestOwner } from "../batch/load-locked.ts";
import { partLookup } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import type { OpenRequests } from "./open-requests.ts";
import { type Part, partsOf } from "./parts.ts";
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
