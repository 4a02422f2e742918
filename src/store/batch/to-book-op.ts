import type {
  AdmitOp,
  CountRefusalOp,
  LedgerOp,
  Outcome,
  ProgressOp,
  SettleOp,
  StoredAnswer,
} from "../../core/ledger.ts";
import type { Price } from "../../core/price.ts";
import type {
  BookAdmit,
  BookAnswer,
  BookOp,
  BookOutcome,
  BookProgress,
  BookRefusal,
  BookSettle,
} from "../../ledger/books/book-op.ts";
import { progressText } from "../../ledger/books/progress.ts";
import { extraText } from "../../ledger/books/usage-text.ts";
import { shortAttemptsText, shortPriceText } from "./short-texts.ts";

/** Makes an operation ready for the books. */
export function toBookOp(op: LedgerOp): BookOp {
  switch (op.op) {
    case "admit":
      return bookAdmit(op);
    case "extend":
      return { op: "extend", request_id: op.request_id, add_micro: op.add_micro };
    case "progress":
      return bookProgress(op);
    case "settle":
      return bookSettle(op);
    case "void":
      return {
        op: "void",
        request_id: op.request_id,
        operator_loss_micro: op.operator_loss_micro,
        ...bookOutcome(op.outcome),
      };
    case "count-refusal":
      return bookRefusal(op);
  }
}

function bookAdmit(op: AdmitOp): BookAdmit {
  return {
    op: "admit",
    request_id: op.request_id,
    client_request_id: op.client_request_id,
    account_id: op.account_id,
    key_id: op.key_id,
    key_version: op.key_version,
    endpoint: op.endpoint,
    stream: op.stream,
    requested_model: op.requested_model,
    model: op.model,
    price: shortPriceText(op.price),
    hold_micro: op.hold_micro,
    allowance: op.allowance ?? null,
    bound_tokens: op.bound_tokens,
    rpm: op.rpm,
    tpm: op.tpm,
    concurrent: op.concurrent,
    budget_micro: op.budget?.amount_micro ?? null,
    budget_window: op.budget?.window ?? null,
    node_id: op.node_id,
    ttl_ms: op.ttl_ms,
    idempotency_key: op.idempotency?.key ?? null,
    fingerprint: op.idempotency?.fingerprint ?? null,
    tags: op.tags ?? null,
  };
}

export function bookProgress({ request_id, ttl_ms, model, price, usage, charge_micro }: ProgressOp): BookProgress {
  const progress = progressText({ model, price: frozen(price), usage, charge_micro });
  return { op: "progress", request_id, ttl_ms, progress };
}

export function bookRefusal({ account_id, key_id, model, rpm }: CountRefusalOp): BookRefusal {
  return { op: "count-refusal", account_id, key_id, model: model ?? "", rpm };
}

function bookSettle(op: SettleOp): BookSettle {
  return {
    op: "settle",
    request_id: op.request_id,
    model: op.model,
    price: shortPriceText(op.price),
    input_tokens: op.usage.input_tokens,
    cache_read_tokens: op.usage.cache_read_tokens,
    cache_write_tokens: op.usage.cache_write_tokens,
    output_tokens: op.usage.output_tokens,
    reasoning_tokens: op.usage.reasoning_tokens,
    usage_extra: extraText(op.usage),
    estimated: op.estimated,
    charge_micro: op.charge_micro,
    success: op.success,
    answer: op.answer === null ? null : bookAnswer(op.answer),
    ...bookOutcome(op.outcome),
  };
}

function bookAnswer({ headers, ...answer }: StoredAnswer): BookAnswer {
  return { ...answer, headers: JSON.stringify(headers) };
}

function bookOutcome(outcome: Outcome): BookOutcome {
  const { attempts, error, queue_ms, first_byte_ms, duration_ms, upstream_cost_micro = null } = outcome;
  return {
    attempts: shortAttemptsText(attempts),
    error,
    queue_ms: wholeMs(queue_ms),
    first_byte_ms: first_byte_ms === null ? null : wholeMs(first_byte_ms),
    duration_ms: wholeMs(duration_ms),
    upstream_cost_micro,
  };
}

/** Timings of a request are stored as whole milliseconds. */
export function wholeMs(duration_ms: number): number {
  return Math.round(duration_ms);
}

/** The price list that a request is charged by, without the variants of its version. */
function frozen(price: Price): Price {
  if (price.variants === undefined) return price;
  const { variants: _, ...list } = price;
  return list;
}
