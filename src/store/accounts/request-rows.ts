import type { BilledEndpoint } from "../../core/endpoints.ts";
import {
  CLIENT_LEFT,
  type Outcome,
  type RequestOutcome,
  type RequestRecord,
  type RequestStatus,
} from "../../core/ledger.ts";
import type { Usage } from "../../core/usage.ts";
import { readLateOutcome } from "../../ledger/books/late-outcome.ts";
import { readExtra } from "../../ledger/books/usage-text.ts";
import { withTexts } from "../batch/shared-texts.ts";
import { readAttempts, readPrice } from "../batch/short-texts.ts";
import { readJson, toBoolean, toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import type { Work } from "../sql/work.ts";

/** Requests as receipts are made of them, with the columns that are asked for. */

export const REQUEST_COLUMNS = `id, client_request_id, account_id, key_id, project_id, tags, tags_counted, endpoint, stream, requested_model, model, status,
  error, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_extra, estimated, price, hold_micro,
  extended_micro, charge_micro, operator_loss_micro, upstream_cost_micro, attempts, created_ms, ended_ms, queue_ms, first_byte_ms, duration_ms,
  (SELECT l.outcome FROM late_settlements AS l WHERE l.request_id = id) AS late`;

type CountColumn = "input_tokens" | "cache_read_tokens" | "cache_write_tokens" | "output_tokens" | "reasoning_tokens";
type TimeColumn = "created_ms" | "ended_ms" | "queue_ms" | "first_byte_ms" | "duration_ms";
type AmountColumn = "hold_micro" | "extended_micro" | "charge_micro" | "operator_loss_micro";

export interface RequestRow
  extends Readonly<Record<CountColumn | TimeColumn | AmountColumn | "stream" | "estimated", unknown>> {
  readonly id: string;
  readonly client_request_id: string | null;
  readonly account_id: string;
  readonly key_id: string;
  readonly project_id: string | null;
  readonly tags: string | null;
  readonly tags_counted: string | null;
  readonly endpoint: BilledEndpoint;
  readonly requested_model: string;
  readonly model: string;
  readonly status: RequestStatus;
  readonly error: Outcome["error"];
  readonly price: string;
  readonly attempts: string;
  readonly usage_extra: string | null;
  readonly upstream_cost_micro: unknown;
  /** How the request ended after a recovery had ended its hold; null for nearly all. */
  readonly late: string | null;
}

/** The records of rows. */
export function* requestRecords(found: readonly RequestRow[]): Work<RequestRecord[]> {
  return (yield* withTexts(found, ["endpoint", "model", "price", "attempts"])).map(requestRecord);
}

/** Where the request's own end came late, it stands in place of what the recovery recorded (docs/rulings.md 146). */
function requestRecord(found: RequestRow): RequestRecord {
  const record = recordedRequest(found);
  if (found.late === null) return record;
  const late = readLateOutcome(found.late);
  // A late end keeps its attempts as the operation had them, in the short form.
  return {
    ...record,
    ...late,
    ...endOf(late),
    attempts: readAttempts(JSON.stringify(late.attempts)),
    late: true,
  };
}

/** The end of a request in one word, and its error where it ended with one. */
export function endOf({
  status,
  error,
}: Pick<RequestRow, "status" | "error">): Pick<RequestRecord, "outcome" | "error"> {
  return { outcome: outcomeOf(status, error), error: error === CLIENT_LEFT ? null : error };
}

function outcomeOf(status: RequestStatus, error: Outcome["error"]): RequestOutcome {
  if (status === "held") return "running";
  if (error === CLIENT_LEFT || (error === null && status === "voided")) return "left";
  return error === null ? "answered" : "failed";
}

function recordedRequest(found: RequestRow): RequestRecord {
  return {
    id: found.id,
    client_request_id: found.client_request_id,
    account_id: found.account_id,
    key_id: found.key_id,
    project_id: found.project_id,
    ...(found.tags !== null && { tags: readJson<Record<string, string>>(found.tags) }),
    ...(found.tags_counted !== null && { tags_counted: readJson<Record<string, string>>(found.tags_counted) }),
    endpoint: found.endpoint,
    stream: toBoolean(found.stream),
    // An ended request has no text of its own where it asked for the model that answered.
    requested_model: found.requested_model === "" ? found.model : found.requested_model,
    model: found.model,
    status: found.status,
    ...endOf(found),
    usage: found.input_tokens === null ? null : usageOf(found),
    estimated: toBoolean(found.estimated),
    late: false,
    price: readPrice(found.price),
    hold_micro: toMicro(found.hold_micro),
    extended_micro: toMicro(found.extended_micro),
    charge_micro: toMicro(found.charge_micro),
    operator_loss_micro: toMicro(found.operator_loss_micro),
    upstream_cost_micro: found.upstream_cost_micro === null ? null : toMicro(found.upstream_cost_micro),
    attempts: readAttempts(found.attempts),
    created_ms: toInt(found.created_ms),
    ended_ms: toIntOrNull(found.ended_ms),
    queue_ms: toIntOrNull(found.queue_ms),
    first_byte_ms: toIntOrNull(found.first_byte_ms),
    duration_ms: toIntOrNull(found.duration_ms),
  };
}

/** The columns of a request's usage. */
export type UsageColumns = Pick<RequestRow, CountColumn | "usage_extra">;

/** The usage of a request that has one. */
export function usageOf(found: UsageColumns): Usage {
  return {
    input_tokens: toInt(found.input_tokens),
    cache_read_tokens: toInt(found.cache_read_tokens),
    cache_write_tokens: toInt(found.cache_write_tokens),
    output_tokens: toInt(found.output_tokens),
    reasoning_tokens: toInt(found.reasoning_tokens),
    ...(found.usage_extra !== null && { extra: readExtra(found.usage_extra) }),
  };
}
