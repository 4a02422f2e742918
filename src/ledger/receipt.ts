import type { Attempt, RequestRecord } from "../core/ledger/ledger.ts";
import { toJsonNumber } from "../core/money/money.ts";
import { type ClassPrices, type Price, unpricedOf } from "../core/money/price.ts";
import type { Usage } from "../core/money/usage.ts";
import type { RefusedRequest } from "../core/operations/refusals.ts";

/** The reader of a receipt: an administrator, or somebody of the account. */
export type ReceiptReader = "operator" | "account";

/** A request's record as the API shows it (docs/api.md 2.11, docs/rulings.md 47). */
export function receiptObject(record: RequestRecord, currency: string, reader: ReceiptReader = "account") {
  return {
    id: record.id,
    object: "request" as const,
    client_request_id: record.client_request_id,
    created: (record.created_ms - (record.created_ms % 1000)) / 1000,
    endpoint: record.endpoint,
    stream: record.stream,
    key_id: record.key_id,
    project_id: record.project_id,
    tags: record.tags ?? {},
    ...(record.tags_counted !== undefined && { tags_counted: record.tags_counted }),
    requested_model: record.requested_model,
    model: record.model,
    status: record.status,
    error: record.error,
    usage: record.usage === null ? null : usageObject(record.usage, record.price),
    estimated: record.estimated,
    late: record.late,
    price: priceObject(record.price),
    currency,
    hold_micro: toJsonNumber(record.hold_micro),
    charge_micro: toJsonNumber(record.charge_micro),
    operator_loss_micro: toJsonNumber(record.operator_loss_micro),
    upstream_cost_micro: record.upstream_cost_micro === null ? null : toJsonNumber(record.upstream_cost_micro),
    attempts: record.attempts.map((attempt, at) => attemptObject(attempt, reader, at === 0 ? record.queue_ms : null)),
    queue_ms: record.queue_ms,
    ...(record.hook_ms !== null && { hook_ms: record.hook_ms }),
    first_byte_ms: record.first_byte_ms,
    duration_ms: record.duration_ms,
  };
}

/**
 * An attempt. When it began is recorded where it failed or followed another; the first begins with the request's admission. What a
 * vendor said about the gateway's own credential or network, and which of several credentials it was, is for operators.
 */
function attemptObject(attempt: Attempt, reader: ReceiptReader, admitted_ms: number | null) {
  const { started_ms, said, said_to_operator, credential, why, passed_over, ...rest } = attempt;
  const is_told = said !== undefined && (reader === "operator" || said_to_operator !== true);
  return {
    ...rest,
    ...(reader === "operator" && choiceOf(attempt)),
    started_ms: started_ms ?? admitted_ms,
    said: is_told ? said : null,
  };
}

/** Which of several candidates it was, and why. */
function choiceOf({ credential, why, passed_over }: Attempt) {
  return {
    ...(credential !== undefined && { credential }),
    ...(why !== undefined && { why }),
    ...(passed_over !== undefined && { passed_over: [...passed_over] }),
  };
}

/** A refused request as the API shows it (docs/api.md 2.13): it was free, and has no receipt. */
export function refusedObject(refused: RefusedRequest) {
  const { request_id, client_request_id, endpoint, key_id, asked_model, model, code, status, param, message } = refused;
  return {
    id: request_id,
    object: "refused_request" as const,
    client_request_id,
    created: (refused.at_ms - (refused.at_ms % 1000)) / 1000,
    endpoint,
    key_id,
    requested_model: asked_model,
    model,
    status: "refused" as const,
    http_status: status,
    error: code,
    param,
    message,
    charge_micro: 0 as const,
  };
}

/** Says that a request was there, and that its receipt is deleted while its charge stays. */
export function receiptGone(name: string, charged_ms: number): string {
  const day = new Date(charged_ms).toISOString().slice(0, 10);
  return `The receipt of ${name} is gone: it ended on ${day}, and receipts are deleted after a time. Its charge stays in the ledger.`;
}

/** The usage of a receipt. Only the requests that have them show `parts` of the classes, `calls`, `units` and `unpriced` counts. */
function usageObject(usage: Usage, price: Price) {
  const { parts, calls, units } = usage.extra ?? {};
  const unpriced = unpricedOf(usage, price);
  return {
    input_tokens: usage.input_tokens,
    cache_read_tokens: usage.cache_read_tokens,
    cache_write_tokens: usage.cache_write_tokens,
    output_tokens: usage.output_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    ...(parts !== undefined && { parts: { ...parts } }),
    ...(calls !== undefined && { calls: { ...calls } }),
    ...(units !== undefined && { units: { ...units } }),
    ...(unpriced.length > 0 && { unpriced: [...unpriced] }),
  };
}

/** A price list as the API shows it. */
export function priceObject(price: Price) {
  const { version, variant, calls_micro_per_kcall: calls, units_micro: units } = price;
  return {
    version,
    ...(variant !== undefined && { variant }),
    ...classPrices(price),
    ...(calls !== undefined && { calls_micro_per_kcall: { ...calls } }),
    ...(units !== undefined && { units_micro: { ...units } }),
    tiers: price.tiers.map((tier) => ({ above_input_tokens: tier.above_input_tokens, ...classPrices(tier) })),
  };
}

function classPrices(prices: ClassPrices) {
  const { parts_micro_per_mtok: parts } = prices;
  return {
    input_micro_per_mtok: prices.input_micro_per_mtok,
    output_micro_per_mtok: prices.output_micro_per_mtok,
    cache_read_micro_per_mtok: prices.cache_read_micro_per_mtok,
    cache_write_micro_per_mtok: prices.cache_write_micro_per_mtok,
    ...(parts !== undefined && { parts_micro_per_mtok: { ...parts } }),
  };
}
