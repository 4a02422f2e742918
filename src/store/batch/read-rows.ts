import type { RequestStatus } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import type { AccountStatus, BudgetWindow, KeyStatus } from "../../core/people/principal.ts";
import { readRequestTags } from "../../ledger/books/request-tags.ts";
import type {
  AccountLimitState,
  AccountState,
  IdempotencyState,
  KeyState,
  ProjectState,
  RecoveredRequest,
  RequestState,
  TopUpState,
} from "../../ledger/books/working-set.ts";
import type { Bucket } from "../../limits/bucket.ts";
import type { RaiseState } from "../../limits/budget.ts";
import { dayOf } from "../../limits/windows.ts";
import { budgetWindow } from "../sql/budget-window.ts";
import { readJson, toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { textOf } from "./row-texts.ts";

/** The rows of a working set, made of the columns of their tables. */

export const ACCOUNT_COLUMNS =
  "id, status, balance_micro, held_micro, posted_micro, entry_count, top_up_below_micro, has_limits";

export interface AccountRow {
  readonly id: string;
  readonly status: AccountStatus;
  readonly balance_micro: unknown;
  readonly held_micro: unknown;
  readonly posted_micro: unknown;
  readonly entry_count: unknown;
  readonly top_up_below_micro: unknown;
  readonly has_limits: unknown;
}

export function accountState(row: AccountRow): AccountState {
  return {
    id: row.id,
    status: row.status,
    wallet: {
      balance_micro: toMicro(row.balance_micro),
      held_micro: toMicro(row.held_micro),
      posted_micro: toMicro(row.posted_micro),
    },
    entry_count: toInt(row.entry_count),
    top_up_below_micro: row.top_up_below_micro === null ? null : toMicro(row.top_up_below_micro),
    top_up: null,
    has_limits: toInt(row.has_limits) === 1,
    limits: null,
    changed: false,
  };
}

const SHARED_LIMIT_COLUMNS =
  "account_id, rpm, tpm, concurrent, budget_micro, budget_window, budget_once, raise_micro, raise_until_ms, requests_limit, requests_used_units, requests_at_ms, " +
  "tokens_limit, tokens_used_units, tokens_at_ms, open_count, spent_window, spent_start_day, spent_micro";
export const ACCOUNT_LIMIT_COLUMNS = SHARED_LIMIT_COLUMNS;
export const PROJECT_COLUMNS = `id, held_micro, ${SHARED_LIMIT_COLUMNS}`;

export interface ProjectRow extends AccountLimitRow {
  readonly id: string;
  readonly held_micro: unknown;
}

export function projectState(row: ProjectRow): ProjectState {
  const { id, account_id } = row;
  return { id, account_id, held_micro: toMicro(row.held_micro), ...accountLimitState(row) };
}

/** The columns of rates and spending that an account, a project and a key have alike. */
interface LimitCountsRow {
  readonly requests_limit: unknown;
  readonly requests_used_units: unknown;
  readonly requests_at_ms: unknown;
  readonly tokens_limit: unknown;
  readonly tokens_used_units: unknown;
  readonly tokens_at_ms: unknown;
  readonly open_count: unknown;
  readonly spent_window: BudgetWindow | null;
  readonly spent_start_day: unknown;
  readonly spent_micro: unknown;
}

export interface AccountLimitRow extends LimitCountsRow {
  readonly account_id: string;
  readonly rpm: unknown;
  readonly tpm: unknown;
  readonly concurrent: unknown;
  readonly budget_micro: unknown;
  readonly budget_window: BudgetWindow | null;
  readonly budget_once: unknown;
  readonly raise_micro: unknown;
  readonly raise_until_ms: unknown;
}

export function accountLimitState(row: AccountLimitRow): AccountLimitState {
  return {
    rpm: toIntOrNull(row.rpm),
    tpm: toIntOrNull(row.tpm),
    concurrent: toIntOrNull(row.concurrent),
    budget_micro: row.budget_micro === null ? null : toMicro(row.budget_micro),
    budget_window: budgetWindow(row),
    ...raiseState(row),
    requests: bucket(row.requests_limit, row.requests_used_units, row.requests_at_ms),
    tokens: bucket(row.tokens_limit, row.tokens_used_units, row.tokens_at_ms),
    open_count: toInt(row.open_count),
    spent_window: row.spent_window,
    spent_start_day: toIntOrNull(row.spent_start_day) ?? 0,
    spent_micro: toMicro(row.spent_micro),
    changed: false,
  };
}

export const TOP_UP_COLUMNS =
  "account_id, threshold_micro, amount_micro, month_limit_micro, month_start_day, month_used_micro, last_ms";

export interface TopUpRow {
  readonly account_id: string;
  readonly threshold_micro: unknown;
  readonly amount_micro: unknown;
  readonly month_limit_micro: unknown;
  readonly month_start_day: unknown;
  readonly month_used_micro: unknown;
  readonly last_ms: unknown;
}

export function topUpState(row: TopUpRow): TopUpState {
  return {
    account_id: row.account_id,
    threshold_micro: toMicro(row.threshold_micro),
    amount_micro: toMicro(row.amount_micro),
    month_limit_micro: toMicro(row.month_limit_micro),
    month_start_day: toInt(row.month_start_day),
    month_used_micro: toMicro(row.month_used_micro),
    last_ms: toIntOrNull(row.last_ms),
    changed: false,
  };
}

export const KEY_COLUMNS =
  "id, account_id, project_id, status, version, deleted_ms, expires_ms, budget_micro, budget_window, budget_once, raise_micro, raise_until_ms";

export interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly project_id: string | null;
  readonly status: KeyStatus;
  readonly version: unknown;
  readonly deleted_ms: unknown;
  readonly expires_ms: unknown;
  readonly budget_micro: unknown;
  readonly budget_window: BudgetWindow | null;
  readonly budget_once: unknown;
  readonly raise_micro: unknown;
  readonly raise_until_ms: unknown;
}

export const KEY_STATE_COLUMNS =
  "key_id, requests_limit, requests_used_units, requests_at_ms, tokens_limit, tokens_used_units, tokens_at_ms, " +
  "open_count, held_micro, spent_window, spent_start_day, spent_micro, last_used_ms";

export interface KeyStateRow extends LimitCountsRow {
  readonly key_id: string;
  readonly held_micro: unknown;
  readonly last_used_ms: unknown;
}

export function keyState(key: KeyRow, state: KeyStateRow): KeyState {
  return {
    id: key.id,
    account_id: key.account_id,
    project_id: key.project_id,
    status: key.status,
    version: toInt(key.version),
    deleted: key.deleted_ms !== null,
    expires_ms: toIntOrNull(key.expires_ms),
    budget_micro: key.budget_micro === null ? null : toMicro(key.budget_micro),
    budget_window: budgetWindow(key),
    ...raiseState(key),
    requests: bucket(state.requests_limit, state.requests_used_units, state.requests_at_ms),
    tokens: bucket(state.tokens_limit, state.tokens_used_units, state.tokens_at_ms),
    open_count: toInt(state.open_count),
    held_micro: toMicro(state.held_micro),
    spent_window: state.spent_window,
    spent_start_day: toIntOrNull(state.spent_start_day) ?? 0,
    spent_micro: toMicro(state.spent_micro),
    last_used_ms: toIntOrNull(state.last_used_ms),
    changed: false,
  };
}

function raiseState({ raise_micro, raise_until_ms }: Pick<KeyRow, "raise_micro" | "raise_until_ms">): RaiseState {
  if (raise_until_ms === null) return NO_RAISE;
  return { raise_micro: toMicro(raise_micro), raise_until_ms: toInt(raise_until_ms) };
}

const NO_RAISE: RaiseState = { raise_micro: ZERO, raise_until_ms: 0 };

function bucket(limit: unknown, used_units: unknown, at_ms: unknown): Bucket | null {
  if (limit === null) return null;
  return { limit: toInt(limit), used_units: toInt(used_units), at_ms: toInt(at_ms) };
}

export const REQUEST_STATE_COLUMNS =
  `id, account_id, key_id, project_id, ${textOf("model_no")} AS model, status, created_ms, deadline_ms, hold_micro, bound_tokens, ` +
  "idempotency_key, progress, tags, tags_counted";

export interface RequestStateRow {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly project_id: string | null;
  readonly model: string;
  readonly status: RequestStatus;
  readonly created_ms: unknown;
  readonly deadline_ms: unknown;
  readonly hold_micro: unknown;
  readonly bound_tokens: unknown;
  readonly idempotency_key: string | null;
  readonly progress: string | null;
  readonly tags: string | null;
  readonly tags_counted: string | null;
}

export function requestState(row: RequestStateRow): RequestState {
  return {
    id: row.id,
    account_id: row.account_id,
    key_id: row.key_id,
    project_id: row.project_id,
    tags: readRequestTags(row.tags, row.tags_counted),
    created_ms: toInt(row.created_ms),
    // On PostgreSQL there is none where the request has ended.
    bound_tokens: toIntOrNull(row.bound_tokens) ?? 0,
    idempotency_key: row.idempotency_key,
    model: row.model,
    admitted: null,
    status: row.status,
    hold_micro: toMicro(row.hold_micro),
    extended_micro: ZERO,
    deadline_ms: toIntOrNull(row.deadline_ms) ?? 0,
    progress: row.progress,
    end: null,
    hold_changed: false,
    changed: false,
  };
}

/** Requests that have ended, with the entry of the charge and the late end, if there are any. */
export const SELECT_RECOVERED = `SELECT r.id AS id, r.charge_micro AS charge_micro, r.ended_ms AS ended_ms,
    r.duration_ms AS duration_ms, coalesce(r.input_tokens + r.cache_read_tokens + r.cache_write_tokens, 0) AS prompt_tokens,
    coalesce(r.output_tokens, 0) AS completion_tokens, r.charge_seq AS charge_seq, l.booked_ms AS late_ms
  FROM requests AS r LEFT JOIN late_settlements AS l ON l.request_id = r.id`;

export interface RecoveredRow {
  readonly id: string;
  readonly charge_micro: unknown;
  readonly ended_ms: unknown;
  readonly duration_ms: unknown;
  readonly prompt_tokens: unknown;
  readonly completion_tokens: unknown;
  readonly charge_seq: unknown;
  readonly late_ms: unknown;
}

/** Whether a recovery ended the request: only then nobody knew how long it had taken. */
export function isRecovered({ duration_ms }: RecoveredRow): boolean {
  return duration_ms === null;
}

export function recoveredRequest(row: RecoveredRow): RecoveredRequest {
  return {
    charge_micro: toMicro(row.charge_micro),
    prompt_tokens: toInt(row.prompt_tokens),
    completion_tokens: toInt(row.completion_tokens),
    day: dayOf(toInt(row.ended_ms)),
    charge_seq: toIntOrNull(row.charge_seq),
    ended_late: row.late_ms !== null,
  };
}

/** `is_open` is 1 while the record's request is held. */
export const IDEMPOTENCY_COLUMNS =
  "account_id, key, fingerprint, request_id, expires_ms, state, status, content_type, headers, body, " +
  "(SELECT count(*) FROM requests WHERE requests.id = idempotency.request_id AND requests.status = 'held') AS is_open";

export interface IdempotencyRow {
  readonly account_id: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly request_id: string;
  readonly expires_ms: unknown;
  readonly state: IdempotencyState["state"];
  readonly status: unknown;
  readonly content_type: string | null;
  readonly headers: string | null;
  readonly body: Uint8Array | null;
  readonly is_open: unknown;
}

export function idempotencyState(row: IdempotencyRow): IdempotencyState {
  const { account_id, key, fingerprint, request_id, state, body } = row;
  const answer =
    body === null
      ? null
      : {
          status: toInt(row.status),
          content_type: row.content_type ?? "",
          headers: readJson<Record<string, string>>(row.headers ?? "{}"),
          body,
        };
  // Every end but a recovery's closes the record or takes it away.
  const abandoned = state === "running" && toInt(row.is_open) === 0;
  const expires_ms = toInt(row.expires_ms);
  return { account_id, key, fingerprint, request_id, expires_ms, fresh: false, abandoned, state, answer };
}
