import type { BookOp } from "./book-op.ts";

/** Which rows a batch concerns, each named once. Those of the requests' own accounts and keys are found by the store. */
export interface Needs {
  readonly accounts: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly requests: ReadonlySet<string>;
  /** Account and key, by `idempotencyId`. */
  readonly idempotency: readonly (readonly [string, string])[];
}

export function needsOf(ops: readonly BookOp[]): Needs {
  const accounts = new Set<string>();
  const keys = new Set<string>();
  const requests = new Set<string>();
  const idempotency: [string, string][] = [];
  for (const op of ops) {
    switch (op.op) {
      case "admit":
        accounts.add(op.account_id);
        keys.add(op.key_id);
        if (op.idempotency_key !== null) idempotency.push([op.account_id, op.idempotency_key]);
        break;
      case "count-refusal":
        // Not read, but locked on PostgreSQL, so that all who write a day's usage of an account take turns.
        accounts.add(op.account_id);
        break;
      case "extend":
      case "progress":
      case "settle":
      case "void":
      case "recover":
        requests.add(op.request_id);
        break;
    }
  }
  return { accounts, keys, requests, idempotency };
}
