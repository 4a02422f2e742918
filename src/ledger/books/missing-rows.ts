import type { BookOp } from "./book-op.ts";
import type { WorkingSet } from "./working-set.ts";

/**
 * The rows that a batch concerns and that are not in the working set yet, each named once. The accounts and keys of
 * `requests` are not among them: only the requests' rows say which they are.
 */
export interface MissingRows {
  readonly accounts: Set<string>;
  readonly keys: Set<string>;
  readonly requests: ReadonlySet<string>;
  readonly idempotency: readonly IdempotencyName[];
}

/** An idempotency key, which belongs to an account. */
interface IdempotencyName {
  readonly account_id: string;
  readonly key: string;
}

export function missingRows(
  ops: readonly BookOp[],
  working: Pick<WorkingSet, "accounts" | "keys" | "requests">,
): MissingRows {
  const accounts = new Set<string>();
  const keys = new Set<string>();
  const requests = new Set<string>();
  const idempotency: IdempotencyName[] = [];
  const admitted = new Set<string>();
  for (const op of ops) {
    switch (op.op) {
      case "admit":
        admitted.add(op.request_id);
        if (!working.accounts.has(op.account_id)) accounts.add(op.account_id);
        if (!working.keys.has(op.key_id)) keys.add(op.key_id);
        if (op.idempotency !== null) idempotency.push({ account_id: op.account_id, key: op.idempotency.key });
        break;
      case "count-refusal":
        // The count needs no account, but PostgreSQL locks it, so that all who write an account's usage take turns.
        if (!working.accounts.has(op.account_id)) accounts.add(op.account_id);
        if (!working.keys.has(op.key_id)) keys.add(op.key_id);
        break;
      case "extend":
      case "progress":
      case "settle":
      case "void":
      case "recover": {
        const request = working.requests.get(op.request_id);
        if (!request) {
          // What is charged with its admission has no row yet.
          if (!admitted.has(op.request_id)) requests.add(op.request_id);
          break;
        }
        if (!working.accounts.has(request.account_id)) accounts.add(request.account_id);
        if (!working.keys.has(request.key_id)) keys.add(request.key_id);
        break;
      }
    }
  }
  return { accounts, keys, requests, idempotency };
}
