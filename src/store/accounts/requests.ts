import type { BilledEndpoint } from "../../core/endpoints.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Attempt, RequestRecord, RequestStatus } from "../../core/ledger.ts";
import type { RequestQuery } from "../../core/ports.ts";
import type { Price } from "../../core/price.ts";
import { type Statement, sql, type Value } from "../sql/statement.ts";
import { toBoolean, toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

const SELECT = `SELECT id, client_request_id, account_id, key_id, endpoint, stream, requested_model, model, status, error,
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, price, hold_micro,
  charge_micro, operator_loss_micro, attempts, created_ms, ended_ms, queue_ms, first_byte_ms, duration_ms FROM requests`;

type Count = "input_tokens" | "cache_read_tokens" | "cache_write_tokens" | "output_tokens" | "reasoning_tokens";
type Time = "created_ms" | "ended_ms" | "queue_ms" | "first_byte_ms" | "duration_ms";
type Amount = "hold_micro" | "charge_micro" | "operator_loss_micro";

interface RequestRow extends Readonly<Record<Count | Time | Amount | "stream" | "estimated", unknown>> {
  readonly id: string;
  readonly client_request_id: string | null;
  readonly account_id: string;
  readonly key_id: string;
  readonly endpoint: BilledEndpoint;
  readonly requested_model: string;
  readonly model: string;
  readonly status: RequestStatus;
  readonly error: ErrorCode | null;
  readonly price: string;
  readonly attempts: string;
}

function requestRecord(found: RequestRow): RequestRecord {
  return {
    id: found.id,
    client_request_id: found.client_request_id,
    account_id: found.account_id,
    key_id: found.key_id,
    endpoint: found.endpoint,
    stream: toBoolean(found.stream),
    requested_model: found.requested_model,
    model: found.model,
    status: found.status,
    error: found.error,
    usage: found.input_tokens === null ? null : usageOf(found),
    estimated: toBoolean(found.estimated),
    price: JSON.parse(found.price) as Price,
    hold_micro: toMicro(found.hold_micro),
    charge_micro: toMicro(found.charge_micro),
    operator_loss_micro: toMicro(found.operator_loss_micro),
    attempts: JSON.parse(found.attempts) as Attempt[],
    created_ms: toInt(found.created_ms),
    ended_ms: toIntOrNull(found.ended_ms),
    queue_ms: toIntOrNull(found.queue_ms),
    first_byte_ms: toIntOrNull(found.first_byte_ms),
    duration_ms: toIntOrNull(found.duration_ms),
  };
}

function usageOf(found: RequestRow) {
  return {
    input_tokens: toInt(found.input_tokens),
    cache_read_tokens: toInt(found.cache_read_tokens),
    cache_write_tokens: toInt(found.cache_write_tokens),
    output_tokens: toInt(found.output_tokens),
    reasoning_tokens: toInt(found.reasoning_tokens),
  };
}

const selectById = sql(`${SELECT} WHERE id = ?`);
const selectByClientId = sql(`${SELECT} WHERE client_request_id = ? ORDER BY seq DESC LIMIT 1`);
const selectOfAccountByClientId = sql(
  `${SELECT} WHERE client_request_id = ? AND account_id = ? ORDER BY seq DESC LIMIT 1`,
);

/** By our id, else the newest with that client's id (docs/rulings.md 47). Another account's request is not found. */
export function* findRequest(account_id: string | null, request_id: string): Work<RequestRecord | null> {
  const own = yield* row<RequestRow>(selectById, [request_id]);
  if (own !== null && (account_id === null || own.account_id === account_id)) return requestRecord(own);
  const named =
    account_id === null
      ? yield* row<RequestRow>(selectByClientId, [request_id])
      : yield* row<RequestRow>(selectOfAccountByClientId, [request_id, account_id]);
  return named && requestRecord(named);
}

/**
 * Newest first: of an account by time, along its index; of all accounts in the order of their admission, along the table.
 */
export function* listRequests(query: RequestQuery): Work<RequestRecord[]> {
  const place = query.account_id === null ? ["seq"] : ["created_ms", "seq"];
  const conditions: string[] = [];
  const params: Value[] = [];
  const where = (condition: string, param: Value | undefined): void => {
    if (param === undefined || param === null) return;
    conditions.push(condition);
    params.push(param);
  };
  where("account_id = ?", query.account_id);
  where("key_id = ?", query.key_id);
  where("model = ?", query.model);
  where("status = ?", query.status);
  where("created_ms < ?", query.before_ms);
  where(`(${place.join(", ")}) < (SELECT ${place.join(", ")} FROM requests WHERE id = ?)`, query.before_id);
  const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const text = `${SELECT}${filter} ORDER BY ${place.map((column) => `${column} DESC`).join(", ")} LIMIT ?`;
  return (yield* rows<RequestRow>(listStatement(text), [...params, query.limit])).map(requestRecord);
}

/** One statement for each combination of filters, made when it is first asked for. */
const list_statements = new Map<string, Statement>();

function listStatement(text: string): Statement {
  const statement = list_statements.get(text) ?? sql(text);
  list_statements.set(text, statement);
  return statement;
}
