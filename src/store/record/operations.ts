import type {
  AdmitOp,
  Attempt,
  CountRefusalOp,
  ExtendOp,
  LedgerOp,
  Outcome,
  OutputAllowance,
  ProgressOp,
  SettleOp,
  VoidOp,
} from "../../core/ledger/ledger.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { amountOrNull, type ColumnKind, flag, msOrNull, text, textOrNull } from "../sql/columns.ts";
import { always, amount, asItIs, list, named, optional, orNull, type Packing, price, rare, record } from "./packing.ts";

/**
 * The operations of the ledger, each field once. All else follows: how it is packed for the database thread and the journal, and, where it
 * has a `column`, how it is written to the request's row under the field's name, read, and shown on the receipt (request-columns.ts).
 * Fields that few operations have come last, because absent values at a row's end are left out.
 */
export interface Field<Shape> extends Packing<Shape> {
  readonly column?: ColumnKind<Shape> | ColumnKind<NonNullable<Shape> | null>;
}

type FieldTable<Shape> = { readonly [Name in keyof Shape]-?: Field<Shape[Name]> };

const BUDGET = record<NonNullable<AdmitOp["budget"]>>({ window: asItIs, amount_micro: amount });

const RULE = record<AppliedRule>({
  rule: asItIs,
  value: asItIs,
  rpm: asItIs,
  tpm: asItIs,
  concurrent: asItIs,
  budget: orNull(BUDGET),
});
const RULES = orNull(list(RULE));

const ALLOWANCE = record<OutputAllowance>({
  most_tokens: asItIs,
  least_tokens: asItIs,
  output_micro_per_mtok: asItIs,
  base_micro: amount,
});

/** What an admission has of its own; all else are its terms. */
export const ADMISSION = {
  op: always("admit"),
  request_id: asItIs,
  hold_micro: amount,
  bound_tokens: asItIs,
  client_request_id: { ...asItIs, column: textOrNull },
  idempotency: asItIs,
  tags: asItIs,
  allowance: orNull(ALLOWANCE),
  tag_rules: RULES,
} as const satisfies Partial<FieldTable<AdmitOp>>;

/**
 * The terms of an admission: what it has in common with the others of its key for the same model, which is most of it. They travel
 * as one text, and so once (sqlite/pack-op.ts); an admission then names them by that text's number.
 */
export type AdmitTerms = Omit<AdmitOp, keyof typeof ADMISSION>;

export interface Term<Shape> extends Field<Shape> {
  readonly isSame?: (one: Shape, other: Shape) => boolean;
}

/** The two ids are not numbered: with thousands of keys, each number is a text to be remembered at both ends. */
export const TERMS = {
  account_id: { ...asItIs, column: text },
  key_id: { ...asItIs, column: text },
  key_version: asItIs,
  endpoint: named,
  stream: { ...asItIs, column: flag },
  requested_model: named,
  model: named,
  price,
  rpm: asItIs,
  tpm: asItIs,
  concurrent: asItIs,
  budget: {
    ...orNull(BUDGET),
    isSame: (one, other) => one?.amount_micro === other?.amount_micro && one?.window === other?.window,
  },
  node_id: named,
  ttl_ms: asItIs,
  // The same list for all requests of a key for a model (limits/applied-rules.ts).
  rules: { ...RULES, isSame: (one, other) => (one ?? null) === (other ?? null) },
} as const satisfies { readonly [Name in keyof AdmitTerms]-?: Term<AdmitTerms[Name]> };

const USAGE = record<Usage>({
  input_tokens: asItIs,
  cache_read_tokens: asItIs,
  cache_write_tokens: asItIs,
  output_tokens: asItIs,
  reasoning_tokens: asItIs,
  extra: optional<NonNullable<Usage["extra"]>>(asItIs),
  served: always(undefined),
});

const ATTEMPT = record<Attempt>({
  vendor: named,
  upstream_model: named,
  status: asItIs,
  error: asItIs,
  first_byte_ms: asItIs,
  duration_ms: asItIs,
  credential: rare,
  why: rare,
  passed_over: rare,
  calls: rare,
  failures: rare,
  started_ms: rare,
  said: rare,
  said_to_operator: rare,
});

export const OUTCOME = {
  error: asItIs,
  queue_ms: { ...asItIs, column: msOrNull },
  first_byte_ms: { ...asItIs, column: msOrNull },
  duration_ms: { ...asItIs, column: msOrNull },
  attempts: list(ATTEMPT),
  answer_digest: optional<number>(asItIs),
  hook_ms: { ...optional<number>(asItIs), column: msOrNull },
  upstream_cost_micro: { ...optional(amount), column: amountOrNull },
} as const satisfies FieldTable<Outcome>;
const ENDING = record<Outcome>(OUTCOME);

/** The database thread finds an operation's account by its request. */
const OF_REQUEST = { request_id: asItIs, account_id: always(undefined) };

/** An admission without its terms, which are packed apart from it. */
export const PACKED_ADMISSION = record<Omit<AdmitOp, keyof AdmitTerms>>(ADMISSION);
export const PACKED_TERMS = record<AdmitTerms>(TERMS);

/** The packing of all other operations. */
export const OPERATIONS: Readonly<Record<Exclude<LedgerOp["op"], "admit">, Packing<LedgerOp>>> = {
  settle: record<SettleOp>({
    op: always("settle"),
    ...OF_REQUEST,
    model: named,
    price,
    charge_micro: amount,
    estimated: asItIs,
    success: asItIs,
    outcome: ENDING,
    usage: USAGE,
    // A settlement with an answer is not packed (sqlite/pack-op.ts).
    answer: always(null),
    free_if_withheld: always(undefined),
  }),
  void: record<VoidOp>({ op: always("void"), ...OF_REQUEST, operator_loss_micro: amount, outcome: ENDING }),
  progress: record<ProgressOp>({
    op: always("progress"),
    ...OF_REQUEST,
    model: named,
    price,
    charge_micro: amount,
    ttl_ms: asItIs,
    usage: USAGE,
  }),
  extend: record<ExtendOp>({ op: always("extend"), ...OF_REQUEST, add_micro: amount }),
  "count-refusal": record<CountRefusalOp>({
    op: always("count-refusal"),
    account_id: asItIs,
    key_id: asItIs,
    model: asItIs,
    rpm: asItIs,
  }),
};
