import type { Attempt, Outcome, RequestOutcome, RequestRecord, RequestStatus } from "../../core/ledger/ledger.ts";
import type { Price } from "../../core/money/price.ts";
import type { Usage } from "../../core/money/usage.ts";
import { readLateOutcome } from "../../ledger/books/late-end.ts";
import { endOf, type UsageColumns, usageOf } from "../accounts/request-rows.ts";
import { ATTEMPT_COLUMNS, type AttemptRow, type RowTexts, readTexts } from "../batch/row-texts.ts";
import { toBoolean, toInt, toIntOrNull } from "../sql/values.ts";
import type { Work } from "../sql/work.ts";

/** Requests as the traffic counts them: every request of the gateway passes here, so it is less than a receipt needs. */

export const ENDED_COLUMNS = `id, account_id, key_id, stream, model_no, status, error, input_tokens, cache_read_tokens, cache_write_tokens,
  output_tokens, reasoning_tokens, usage_extra, price_no, charge_micro, operator_loss_micro, upstream_cost_micro, ${ATTEMPT_COLUMNS}, created_ms, ended_ms,
  queue_ms, first_byte_ms, duration_ms, (SELECT l.outcome FROM late_settlements AS l WHERE l.request_id = id) AS late`;

type Time = "created_ms" | "ended_ms" | "queue_ms" | "first_byte_ms" | "duration_ms";
type Amount = "charge_micro" | "operator_loss_micro" | "upstream_cost_micro";

export interface EndedRow
  extends UsageColumns,
    AttemptRow,
    Readonly<Record<Time | Amount | "stream" | "model_no" | "price_no", unknown>> {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly status: RequestStatus;
  readonly error: Outcome["error"];
  readonly late: string | null;
}

/** A request that has ended. Amounts are numbers, which the schema keeps exact. */
export interface EndedRequest {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly stream: boolean;
  readonly outcome: RequestOutcome;
  readonly error: RequestRecord["error"];
  readonly usage: Usage | null;
  /** Read where it is asked for. */
  readonly priceOf: () => Price;
  readonly charge_micro: number;
  readonly operator_loss_micro: number;
  readonly upstream_cost_micro: number | null;
  readonly attempts: readonly Attempt[];
  readonly created_ms: number;
  readonly ended_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  /** Whether its own end came after a recovery had ended its hold (docs/rulings.md 146). */
  readonly late: boolean;
  /** Whether a recovery ended the request, which knows no times. */
  readonly is_recovered: boolean;
}

/** The requests of rows; null for those that run. */
export function* endedRequests(found: readonly EndedRow[]): Work<(EndedRequest | null)[]> {
  const texts = yield* readTexts(found, ["model_no", "price_no", "attempt_no"]);
  return found.map((row) => (row.status === "held" ? null : endedRequest(row, texts)));
}

function endedRequest(row: EndedRow, texts: RowTexts): EndedRequest {
  if (row.late !== null) return endedLate(row, row.late, texts);
  const { id, account_id, key_id, price_no } = row;
  const { outcome, error } = endOf(row);
  return {
    id,
    account_id,
    key_id,
    model: texts.text(row.model_no),
    stream: toBoolean(row.stream),
    outcome,
    error,
    usage: row.input_tokens === null ? null : usageOf(row),
    priceOf: () => texts.price(price_no),
    charge_micro: toInt(row.charge_micro),
    operator_loss_micro: toInt(row.operator_loss_micro),
    upstream_cost_micro: toIntOrNull(row.upstream_cost_micro),
    attempts: texts.attempts(row),
    created_ms: toInt(row.created_ms),
    ended_ms: toIntOrNull(row.ended_ms),
    first_byte_ms: toIntOrNull(row.first_byte_ms),
    duration_ms: toIntOrNull(row.duration_ms),
    late: false,
    is_recovered: row.queue_ms === null,
  };
}

/** The request's own end stands in place of what the recovery recorded. */
function endedLate(row: EndedRow, outcome: string, texts: RowTexts): EndedRequest {
  const late = readLateOutcome(outcome);
  const { charge_micro, operator_loss_micro, upstream_cost_micro } = late;
  return {
    ...endedRequest({ ...row, late: null }, texts),
    ...endOf(late),
    usage: late.usage,
    charge_micro: Number(charge_micro),
    operator_loss_micro: Number(operator_loss_micro),
    upstream_cost_micro: upstream_cost_micro === null ? null : Number(upstream_cost_micro),
    attempts: late.attempts,
    first_byte_ms: late.first_byte_ms,
    duration_ms: late.duration_ms,
    late: true,
    is_recovered: false,
  };
}
