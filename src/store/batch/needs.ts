import type { BookOp } from "./book-op.ts";
import type { Page } from "./page.ts";

/**
 * Which rows a batch concerns that are not on the page yet, each named once. Those of the requests' own accounts and keys
 * are found by the store.
 */
export interface Needs {
  readonly accounts: Set<string>;
  readonly keys: Set<string>;
  readonly requests: ReadonlySet<string>;
  /** Account and key, by `idempotencyId`. */
  readonly idempotency: readonly (readonly [string, string])[];
}

export function needsOf(ops: readonly BookOp[], page: Pick<Page, "accounts" | "keys" | "requests">): Needs {
  const accounts = new Set<string>();
  const keys = new Set<string>();
  const requests = new Set<string>();
  const idempotency: [string, string][] = [];
  for (const op of ops) {
    switch (op.op) {
      case "admit":
        if (!page.accounts.has(op.account_id)) accounts.add(op.account_id);
        if (!page.keys.has(op.key_id)) keys.add(op.key_id);
        if (op.idempotency_key !== null) idempotency.push([op.account_id, op.idempotency_key]);
        break;
      case "count-refusal":
        // Not read, but locked on PostgreSQL, so that all who write a day's usage of an account take turns.
        if (!page.accounts.has(op.account_id)) accounts.add(op.account_id);
        break;
      case "extend":
      case "progress":
      case "settle":
      case "void":
      case "recover": {
        const request = page.requests.get(op.request_id);
        if (!request) {
          requests.add(op.request_id);
          break;
        }
        if (!page.accounts.has(request.account_id)) accounts.add(request.account_id);
        if (!page.keys.has(request.key_id)) keys.add(request.key_id);
        break;
      }
    }
  }
  return { accounts, keys, requests, idempotency };
}
