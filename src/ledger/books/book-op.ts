import type { LedgerOp } from "../../core/ledger/ledger.ts";

/** What the books decide over: the operations that the pipeline asks for, and recoveries. */
export type BookOp = LedgerOp | RecoverOp;

/** Ends a hold that its process left behind (docs/rulings.md 43). Only the store asks for a recovery. */
export interface RecoverOp {
  readonly op: "recover";
  readonly request_id: string;
}

/** The account that an operation names; undefined where only its request's row says it. */
export function namedAccount(op: BookOp): string | undefined {
  return op.op === "recover" ? undefined : op.account_id;
}
