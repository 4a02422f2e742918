import type { RequestStatus } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import type { AccountStatus, BudgetWindow, KeyStatus, OwnLimits } from "../../core/people/principal.ts";
import type { IdempotencyState, RecoveredRequest } from "../../ledger/books/booked-rows.ts";
import { readCountedRules } from "../../ledger/books/counted-rules.ts";
import { readRequestTags } from "../../ledger/books/request-tags.ts";
import { readExtra } from "../../ledger/books/row-json.ts";
import type {
  AccountState,
  KeyState,
  ProjectState,
  RequestState,
  RuleState,
  SharedLimitState,
  TopUpState,
} from "../../ledger/books/working-set.ts";
import type { Bucket } from "../../limits/bucket.ts";
import type { RaiseState } from "../../limits/budget.ts";
import { dayOf } from "../../limits/windows.ts";
import { budgetWindow } from "../sql/budget-window.ts";
import {
  amount,
  amountOrNull,
  columnsOf,
  flag,
  int,
  intOrNull,
  jsonOrNull,
  type RawRow,
  readRow,
  text,
  textOrNull,
  word,
} from "../sql/columns.ts";
import { readLimitsText } from "../sql/limits-text.ts";
import { toInt } from "../sql/values.ts";
import { textOf } from "./row-texts.ts";

/** The rows of a working set, made of the columns of their tables. */

const ACCOUNT = {
  id: text,
  status: word<AccountStatus>(),
  balance_micro: amount,
  held_micro: amount,
  posted_micro: amount,
  entry_count: int,
  top_up_below_micro: amountOrNull,
  has_limits: flag,
  time_zone: textOrNull,
} as const;
export const ACCOUNT_COLUMNS = columnsOf(ACCOUNT);
export type AccountRow = RawRow<typeof ACCOUNT>;

export function accountState(row: AccountRow): AccountState {
  const { balance_micro, held_micro, posted_micro, ...account } = readRow(ACCOUNT, row);
  return {
    ...account,
    wallet: { balance_micro, held_micro, posted_micro },
    top_up: null,
    limits: null,
    changed: false,
  };
}

/** The columns of rates and spending that an account, a project and a key have alike. */
const COUNTS = {
  requests_limit: intOrNull,
  requests_used_units: intOrNull,
  requests_at_ms: intOrNull,
  tokens_limit: intOrNull,
  tokens_used_units: intOrNull,
  tokens_at_ms: intOrNull,
  open_count: int,
  spent_window: word<BudgetWindow | null>(),
  spent_start_day: intOrNull,
  spent_micro: amount,
} as const;

function counts(row: RawRow<typeof COUNTS>) {
  const read = readRow(COUNTS, row);
  return {
    requests: bucket(read.requests_limit, read.requests_used_units, read.requests_at_ms),
    tokens: bucket(read.tokens_limit, read.tokens_used_units, read.tokens_at_ms),
    open_count: read.open_count,
    spent_window: read.spent_window,
    spent_start_day: read.spent_start_day ?? 0,
    spent_micro: read.spent_micro,
  };
}

function bucket(limit: number | null, used_units: number | null, at_ms: number | null): Bucket | null {
  return limit === null ? null : { limit, used_units: used_units ?? 0, at_ms: at_ms ?? 0 };
}

/** The columns of a budget, which a key, a project and an account have alike. */
const BUDGET = {
  budget_micro: amountOrNull,
  budget_window: word<BudgetWindow | null>(),
  budget_once: int,
  raise_micro: amountOrNull,
  raise_until_ms: intOrNull,
} as const;

function budget(row: RawRow<typeof BUDGET>) {
  const { budget_micro, raise_micro, raise_until_ms } = readRow(BUDGET, row);
  const raise: RaiseState = raise_until_ms === null ? NO_RAISE : { raise_micro: raise_micro ?? ZERO, raise_until_ms };
  return { budget_micro, budget_window: budgetWindow(row), ...raise };
}

const NO_RAISE: RaiseState = { raise_micro: ZERO, raise_until_ms: 0 };

const RATES = { rpm: intOrNull, tpm: intOrNull, concurrent: intOrNull } as const;
const LIMITS = { account_id: text, ...RATES, ...BUDGET, ...COUNTS } as const;
export const ACCOUNT_LIMIT_COLUMNS = columnsOf(LIMITS);
export type AccountLimitRow = RawRow<typeof LIMITS>;

export function accountLimitState(row: AccountLimitRow): SharedLimitState {
  return { ...readRow(RATES, row), ...budget(row), ...counts(row), changed: false };
}

const PROJECT = { id: text, held_micro: amount, ...LIMITS } as const;
export const PROJECT_COLUMNS = columnsOf(PROJECT);
export type ProjectRow = RawRow<typeof PROJECT>;

export function projectState(row: ProjectRow): ProjectState {
  const { id, account_id } = row;
  return { id, account_id, held_micro: amount.read(row.held_micro), ...accountLimitState(row) };
}

const RULE = {
  account_id: text,
  rule: text,
  value: text,
  ...COUNTS,
  held_micro: amount,
  budget_micro: amountOrNull,
  spent_from_ms: int,
  used_ms: int,
  own_limits: textOrNull,
} as const;
export const RULE_COLUMNS = columnsOf(RULE);
export type RuleRow = RawRow<typeof RULE>;

export function ruleState(row: RuleRow): RuleState {
  const { account_id, rule, value, held_micro, budget_micro, spent_from_ms, used_ms, own_limits } = readRow(RULE, row);
  const own = own_limits === null ? null : readLimitsText<OwnLimits>(own_limits);
  const kept = { ...counts(row), held_micro, budget_micro, spent_from_ms, used_ms };
  return { account_id, rule, value, ...kept, own, changed: false };
}

/** The counts of a rule that has counted nothing yet. */
export function newRuleState(account_id: string, rule: string, value: string): RuleState {
  return {
    ...{ account_id, rule, value, requests: null, tokens: null, open_count: 0, held_micro: ZERO, budget_micro: null },
    ...{
      spent_window: null,
      spent_start_day: 0,
      spent_micro: ZERO,
      spent_from_ms: 0,
      used_ms: 0,
      own: null,
      changed: false,
    },
  };
}

const TOP_UP = {
  account_id: text,
  threshold_micro: amount,
  amount_micro: amount,
  month_limit_micro: amount,
  month_start_day: int,
  month_used_micro: amount,
  last_ms: intOrNull,
} as const;
export const TOP_UP_COLUMNS = columnsOf(TOP_UP);
export type TopUpRow = RawRow<typeof TOP_UP>;

export function topUpState(row: TopUpRow): TopUpState {
  return { ...readRow(TOP_UP, row), changed: false };
}

const KEY = {
  id: text,
  account_id: text,
  project_id: textOrNull,
  status: word<KeyStatus>(),
  version: int,
  deleted_ms: intOrNull,
  expires_ms: intOrNull,
} as const;
export const KEY_COLUMNS = `${columnsOf(KEY)}, ${columnsOf(BUDGET)}`;
export type KeyRow = RawRow<typeof KEY & typeof BUDGET>;

const KEY_STATE = { key_id: text, ...COUNTS, held_micro: amount, last_used_ms: intOrNull } as const;
export const KEY_STATE_COLUMNS = columnsOf(KEY_STATE);
export type KeyStateRow = RawRow<typeof KEY_STATE>;

export function keyState(row: KeyRow, state: KeyStateRow): KeyState {
  const { deleted_ms, ...key } = readRow(KEY, row);
  return {
    ...key,
    deleted: deleted_ms !== null,
    ...budget(row),
    ...counts(state),
    held_micro: amount.read(state.held_micro),
    last_used_ms: intOrNull.read(state.last_used_ms),
    changed: false,
  };
}

const REQUEST = {
  id: text,
  account_id: text,
  key_id: text,
  project_id: textOrNull,
  status: word<RequestStatus>(),
  created_ms: int,
  // On PostgreSQL there is neither where the request has ended.
  deadline_ms: intOrNull,
  bound_tokens: intOrNull,
  hold_micro: amount,
  idempotency_key: textOrNull,
  progress: textOrNull,
} as const;
export const REQUEST_STATE_COLUMNS = `${columnsOf(REQUEST)}, ${textOf("model_no")} AS model, tags, tags_counted, rules`;
export type RequestStateRow = RawRow<typeof REQUEST> & {
  readonly model: string;
  readonly tags: string | null;
  readonly tags_counted: string | null;
  readonly rules: string | null;
};

export function requestState(row: RequestStateRow): RequestState {
  const { deadline_ms, bound_tokens, ...request } = readRow(REQUEST, row);
  return {
    ...request,
    deadline_ms: deadline_ms ?? 0,
    bound_tokens: bound_tokens ?? 0,
    model: row.model,
    tags: readRequestTags(row.tags, row.tags_counted),
    rules: readCountedRules(row.account_id, row.rules),
    admitted: null,
    extended_micro: ZERO,
    end: null,
    hold_changed: false,
    changed: false,
  };
}

/** Requests that have ended, with the entry of the charge and the late end, if there are any. */
export const SELECT_RECOVERED = `SELECT r.id AS id, r.charge_micro AS charge_micro, r.ended_ms AS ended_ms,
    r.duration_ms AS duration_ms, coalesce(r.input_tokens + r.cache_read_tokens + r.cache_write_tokens, 0) AS prompt_tokens,
    coalesce(r.output_tokens, 0) AS completion_tokens, r.usage_extra AS usage_extra, r.charge_seq AS charge_seq,
    l.booked_ms AS late_ms
  FROM requests AS r LEFT JOIN late_settlements AS l ON l.request_id = r.id`;

const RECOVERED = {
  id: text,
  charge_micro: amount,
  ended_ms: int,
  duration_ms: intOrNull,
  prompt_tokens: int,
  completion_tokens: int,
  usage_extra: textOrNull,
  charge_seq: intOrNull,
  late_ms: intOrNull,
} as const;
export type RecoveredRow = RawRow<typeof RECOVERED>;

/** Whether a recovery ended the request: only such a request has no duration. */
export function isRecovered({ duration_ms }: RecoveredRow): boolean {
  return duration_ms === null;
}

export function recoveredRequest(row: RecoveredRow): RecoveredRequest {
  const { late_ms, usage_extra, id: _, duration_ms: __, ...recovered } = readRow(RECOVERED, row);
  const units = usage_extra === null ? undefined : readExtra(usage_extra).units;
  return { ...recovered, units: units ?? {}, day: dayOf(recovered.ended_ms), ended_late: late_ms !== null };
}

const IDEMPOTENCY = {
  account_id: text,
  key: text,
  fingerprint: text,
  request_id: text,
  expires_ms: int,
  state: word<IdempotencyState["state"]>(),
} as const;
/** What is kept of an answer; null in a record without one. */
const ANSWER = { status: intOrNull, content_type: textOrNull, headers: jsonOrNull<Record<string, string>>() } as const;
/** `is_open` is 1 while the record's request is held. */
export const IDEMPOTENCY_COLUMNS = `${columnsOf(IDEMPOTENCY)}, ${columnsOf(ANSWER)}, body,
  (SELECT count(*) FROM requests WHERE requests.id = idempotency.request_id AND requests.status = 'held') AS is_open`;

export type IdempotencyRow = RawRow<typeof IDEMPOTENCY & typeof ANSWER> & {
  readonly body: Uint8Array | null;
  readonly is_open: unknown;
};

export function idempotencyState(row: IdempotencyRow): IdempotencyState {
  const { body } = row;
  const { status, content_type, headers } = readRow(ANSWER, row);
  const given = { status: status ?? 0, content_type: content_type ?? "", headers: headers ?? {} };
  // Every end but a recovery's closes the record or takes it away.
  const abandoned = row.state === "running" && toInt(row.is_open) === 0;
  return { ...readRow(IDEMPOTENCY, row), fresh: false, abandoned, answer: body && { ...given, body } };
}
