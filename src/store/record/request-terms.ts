import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { type ColumnKind, flag, text } from "../sql/columns.ts";
import { asItIs, budget, named, type Pass, price, rules } from "./pass.ts";

/** What an admission has of its own; all else are its terms. */
export type OwnField =
  | "op"
  | "request_id"
  | "client_request_id"
  | "hold_micro"
  | "allowance"
  | "bound_tokens"
  | "idempotency"
  | "tag_rules"
  | "tags";

/**
 * The terms of an admission: what it has in common with the others of its key for the same model, which is most of it. They travel
 * as one text, and so once (sqlite/pack-op.ts); an admission then names them by that text's number.
 */
export type AdmitTerms = Omit<AdmitOp, OwnField>;

export interface Term<Shape> {
  /** How it is packed. */
  readonly pass: Pass<Shape>;
  /** Its column in the request's row, which has its name and is shown on the receipt; absent: it is not kept, or by request-columns.ts. */
  readonly column?: ColumnKind<Shape>;
  readonly isSame?: (one: Shape, other: Shape) => boolean;
}

/**
 * Each term once. A new one is a line here, and all else follows: how it is packed for the thread and the journal, and, with a column, how
 * it is written and read. The two ids are not numbered: with thousands of keys, each number is a text to be remembered at both ends.
 */
export const TERMS = {
  account_id: { pass: asItIs, column: text },
  key_id: { pass: asItIs, column: text },
  key_version: { pass: asItIs },
  endpoint: { pass: named },
  stream: { pass: asItIs, column: flag },
  requested_model: { pass: named },
  model: { pass: named },
  price: { pass: price },
  rpm: { pass: asItIs },
  tpm: { pass: asItIs },
  concurrent: { pass: asItIs },
  budget: {
    pass: budget,
    isSame: (one, other) => one?.amount_micro === other?.amount_micro && one?.window === other?.window,
  },
  node_id: { pass: named },
  ttl_ms: { pass: asItIs },
  // The same list for all requests of a key for a model (limits/applied-rules.ts).
  rules: { pass: rules, isSame: (one, other) => (one ?? null) === (other ?? null) },
} as const satisfies { readonly [Name in keyof AdmitTerms]-?: Term<AdmitTerms[Name]> };
