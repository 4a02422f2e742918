import type { BilledEndpoint } from "../../core/endpoints.ts";
import {
  CLIENT_LEFT,
  type Outcome,
  type RequestOutcome,
  type RequestRecord,
  type RequestStatus,
} from "../../core/ledger/ledger.ts";
import type { Usage } from "../../core/money/usage.ts";
import { readLateOutcome } from "../../ledger/books/late-end.ts";
import { readExtra } from "../../ledger/books/row-json.ts";
import { ATTEMPT_COLUMNS, type AttemptRow, type RowTexts, readTexts } from "../batch/row-texts.ts";
import { readShown, SHOWN_NAMES } from "../record/request-columns.ts";
import { readJson, toInt } from "../sql/values.ts";
import type { Work } from "../sql/work.ts";

/** Reads the columns of requests from which receipts are made. */

export const REQUEST_COLUMNS = `${SHOWN_NAMES.join(", ")}, tags, tags_counted, endpoint_no, requested_model, model_no, error,
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_extra, price_no, ${ATTEMPT_COLUMNS},
  (SELECT l.outcome FROM late_settlements AS l WHERE l.request_id = id) AS late`;

type CountColumn = "input_tokens" | "cache_read_tokens" | "cache_write_tokens" | "output_tokens" | "reasoning_tokens";

/** The columns of a request that need decoding; receipts show the others as they are (record/request-columns.ts). */
export interface RequestRow extends AttemptRow, Readonly<Record<CountColumn, unknown>> {
  readonly [shown: string]: unknown;
  readonly account_id: string;
  readonly tags: string | null;
  readonly tags_counted: string | null;
  readonly endpoint_no: unknown;
  readonly requested_model: string | null;
  readonly model_no: unknown;
  readonly status: RequestStatus;
  readonly error: Outcome["error"];
  readonly price_no: unknown;
  readonly usage_extra: string | null;
  /** How the request ended after a recovery had ended its hold; null for nearly all. */
  readonly late: string | null;
}

export function* requestRecords(found: readonly RequestRow[]): Work<RequestRecord[]> {
  const texts = yield* readTexts(found, ["endpoint_no", "model_no", "price_no", "attempt_no"]);
  return found.map((row) => requestRecord(row, texts));
}

/** Builds a request's record. An end that came late replaces what the recovery recorded (docs/rulings.md 146). */
function requestRecord(found: RequestRow, texts: RowTexts): RequestRecord {
  const record = recordedRequest(found, texts);
  if (found.late === null) return record;
  const late = readLateOutcome(found.late);
  return { ...record, ...late, ...endOf(late), late: true };
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

function recordedRequest(found: RequestRow, texts: RowTexts): RequestRecord {
  const model = texts.text(found.model_no);
  return {
    ...readShown(found),
    ...(found.tags !== null && { tags: readJson<Record<string, string>>(found.tags) }),
    ...(found.tags_counted !== null && { tags_counted: readJson<Record<string, string>>(found.tags_counted) }),
    endpoint: texts.text(found.endpoint_no) as BilledEndpoint,
    // The column is null where the model that answered is the one that was asked for.
    requested_model: found.requested_model ?? model,
    model,
    ...endOf(found),
    usage: found.input_tokens === null ? null : usageOf(found),
    late: false,
    price: texts.price(found.price_no),
    attempts: texts.attempts(found),
  };
}

export type UsageColumns = Pick<RequestRow, CountColumn | "usage_extra">;

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
