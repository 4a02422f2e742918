import type { AdmitOp, Outcome, RequestStatus } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import type { UnitCount } from "../../core/money/price-classes.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { AccountStatus, BudgetWindow, KeyStatus, OwnLimits } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import type { Bucket } from "../../limits/bucket.ts";
import type { RaiseState } from "../../limits/budget.ts";
import { dayOf } from "../../limits/windows.ts";
import type { Wallet } from "../wallet.ts";
import type {
  BookedEntry,
  IdempotencyEnd,
  IdempotencyOwner,
  IdempotencyState,
  RecoveredRequest,
} from "./booked-rows.ts";

/**
 * The rows that a batch of operations concerns, as the books work on them. The store loads them at the batch's start; one operation after the other
 * changes them; the store writes the changes at the batch's end. All of it is one transaction, so each operation sees what those before it did, and one
 * that is refused changes nothing. `changeAccount`, `changeKey` and `changeRequest` list the rows that changed: SQLite's one writer keeps its set for many batches.
 */
export interface WorkingSet {
  /** When the batch is decided. */
  now_ms: number;
  /** The UTC day of `now_ms`. */
  day: number;
  readonly accounts: Map<string, AccountState>;
  readonly keys: Map<string, KeyState>;
  readonly requests: Map<string, RequestState>;
  readonly projects: Map<string, ProjectState>;
  /** What is counted under the rules of limits that operations and requests above name, by `ruleId`. */
  readonly rule_counts: Map<string, RuleState>;
  readonly changed_rules: RuleState[];
  /** Accounts that have a rule of automatic top-ups. */
  readonly ruled_accounts: AccountState[];
  /** Requests that the store read from their rows; some of them have ended. */
  readonly loaded_requests: RequestState[];
  readonly changed_accounts: AccountState[];
  readonly changed_keys: KeyState[];
  readonly changed_limits: AccountState[];
  readonly changed_projects: ProjectState[];
  readonly changed_requests: RequestState[];
  /** Records of the idempotency keys that this batch's admissions and late ends use, by `idempotencyId`. */
  readonly idempotency: Map<string, IdempotencyState>;
  /** How records that have rows already are closed. */
  readonly idempotency_ends: IdempotencyEnd[];
  /** Records whose rows are taken away. */
  readonly idempotency_deletes: IdempotencyOwner[];
  /** New entries, in the order of their accounts' sums. */
  readonly entries: BookedEntry[];
  /** Changes of the day's usage that are new, by `usageId`. */
  readonly usage: Map<string, UsageChange>;
  readonly changed_usage: UsageChange[];
  /** The change of `usage` that was asked for last. */
  last_usage: UsageChange | null;
  /** The changes of projects' usage, by `projectUsageId`. */
  readonly project_usage: Map<string, ProjectUsageChange>;
  readonly changed_project_usage: ProjectUsageChange[];
  /** The changes of usage of requests with tags of their own, by `tagUsageId`. */
  readonly tag_usage: Map<string, TagUsageChange>;
  readonly changed_tag_usage: TagUsageChange[];
  /** Today's counted tags of the accounts whose admissions carry tags, by account. */
  readonly tag_days: Map<string, TagDay>;
  readonly new_tag_values: TagValue[];
  /** Of the requests that the store read: what recoveries charged for those that they ended, by request id. */
  readonly recovered: Map<string, RecoveredRequest>;
  /** New ends of requests that a recovery had ended. */
  readonly late: LateEnd[];
}

/** The end of a request that came after a recovery had ended its hold (docs/rulings.md 146). */
export interface LateEnd extends Readonly<Record<UnitCount, number>> {
  readonly request_id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly project_id: string | null;
  readonly tags: RequestTags | null;
  /** The model and the day that the recovery counted the request for: what is added to the usage is added there. */
  readonly model: string;
  readonly day: number;
  readonly booked_ms: number;
  /** The charge beyond the recovery's; negative where a part of the recovery's was given back. */
  readonly difference_micro: Micro;
  /** The correction; null where there was nothing to correct. */
  readonly entry_seq: number | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly success_count: 0 | 1;
  /** The fields that the receipt shows in place of the recovery's (late-end.ts). */
  readonly outcome: string;
}

/** An account's row, as far as the ledger decides by it. */
export interface AccountState {
  readonly id: string;
  readonly status: AccountStatus;
  wallet: Wallet;
  entry_count: number;
  /** The balance below which the account's rule of automatic top-ups credits it; null without a rule. */
  readonly top_up_below_micro: Micro | null;
  /** The rule of automatic top-ups; null without a rule. */
  top_up: TopUpState | null;
  /** Whether the account has limits over all of its keys: `limits` are then loaded with it. */
  readonly has_limits: boolean;
  /** The IANA name of the zone of its days; null: UTC. */
  readonly time_zone: string | null;
  limits: SharedLimitState | null;
  changed: boolean;
}

/** The charges of one window: `spent_micro` has no meaning for any other window. */
export interface Spending {
  spent_window: BudgetWindow | null;
  spent_start_day: number;
  spent_micro: Micro;
}

/** What is counted of requests under limits that several keys may share. */
export interface SharedCounts extends Spending {
  requests: Bucket | null;
  tokens: Bucket | null;
  open_count: number;
  changed: boolean;
}

/** Limits that several keys share, and the counts under them: an account's (docs/rulings.md 151) or a project's. */
export interface SharedLimitState extends SharedCounts, RaiseState {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrent: number | null;
  readonly budget_micro: Micro | null;
  readonly budget_window: BudgetWindow | null;
}

/** A project's row (docs/design/tags-and-projects.md). */
export interface ProjectState extends SharedLimitState {
  readonly id: string;
  readonly account_id: string;
  held_micro: Micro;
}

/** What is counted under a rule of limits (docs/rulings.md 177), whose values the admissions bring. */
export interface RuleState extends SharedCounts {
  readonly account_id: string;
  readonly rule: string;
  readonly value: string;
  held_micro: Micro;
  /** The value's own limits, in place of what admissions bring (docs/rulings.md 176); null: none. */
  readonly own: OwnLimits | null;
  /** The budget as the last admission brought it, of the window of the kept sum; null: none. */
  budget_micro: Micro | null;
  /** Since when the kept sum has every charge: the audit adds them up from there. */
  spent_from_ms: number;
  /** When a request was last admitted by it. */
  used_ms: number;
}

/** A rule of automatic top-ups, and what it has credited in its current month. */
export interface TopUpState {
  readonly account_id: string;
  readonly threshold_micro: Micro;
  readonly amount_micro: Micro;
  readonly month_limit_micro: Micro;
  month_start_day: number;
  month_used_micro: Micro;
  last_ms: number | null;
  changed: boolean;
}

/** A key's row and its counts: buckets, open requests, holds, what it has spent. */
export interface KeyState extends Spending, RaiseState {
  readonly id: string;
  readonly account_id: string;
  /** Null where the key belongs to no project. */
  readonly project_id: string | null;
  readonly status: KeyStatus;
  readonly version: number;
  readonly deleted: boolean;
  readonly expires_ms: number | null;
  readonly budget_micro: Micro | null;
  readonly budget_window: BudgetWindow | null;
  requests: Bucket | null;
  tokens: Bucket | null;
  open_count: number;
  held_micro: Micro;
  last_used_ms: number | null;
  changed: boolean;
}

/** A request's row, as far as the ledger decides by it or changes it. */
export interface RequestState {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  /** The project that its hold counts for: the key may have been moved since. */
  readonly project_id: string | null;
  /** Its own tags; null for most. */
  readonly tags: RequestTags | null;
  /** The rules of limits that count it; null for most. */
  readonly rules: CountedRules | null;
  readonly created_ms: number;
  readonly bound_tokens: number;
  readonly idempotency_key: string | null;
  /** The model of the admission; the model that answered is in `end`. */
  readonly model: string;
  /** The admission, when it is new. */
  admitted: AdmitOp | null;
  status: RequestStatus;
  hold_micro: Micro;
  /** The part of the hold that extensions added and that is new. */
  extended_micro: Micro;
  deadline_ms: number;
  progress: string | null;
  end: RequestEnd | null;
  /** Whether hold, deadline or progress have changed. */
  hold_changed: boolean;
  changed: boolean;
}

export interface RequestEnd {
  readonly ended_ms: number;
  readonly charge_micro: Micro;
  readonly operator_loss_micro: Micro;
  /** The model that answered, its price and its usage; null when there is no answer to charge. */
  readonly answered: { readonly model: string; readonly price: Price; readonly usage: Usage } | null;
  /** The entry of the charge, by its place in the account's ledger; null where nothing is charged. */
  readonly charge_seq: number | null;
  readonly estimated: boolean;
  readonly success: boolean;
  readonly outcome: Outcome | null;
}

/** An addition to an account's usage of a key and a model on a day. */
export interface UsageChange extends Record<UnitCount, number> {
  readonly account_id: string;
  readonly day: number;
  readonly key_id: string;
  readonly model: string;
  cost_micro: Micro;
  prompt_tokens: number;
  completion_tokens: number;
  ended_count: number;
  success_count: number;
  refused_count: number;
  replayed_count: number;
}

export interface ProjectUsageChange extends UsageChange {
  readonly project_id: string;
}

export interface RequestTags {
  /** What the request carries: a JSON object. */
  readonly text: string;
  /** The tags under which the request is counted, where these differ: a JSON object. */
  readonly counted_text: string | null;
  /** The names and values under which the request is counted, each name once. */
  readonly counted: readonly (readonly [name: string, value: string])[];
}

/** A rule of limits that counts a request. */
export type CountedRule = readonly [rule: string, value: string];

/** The rules of limits that count a request: the names of their counts (`ruleId`), and the text of the request's row (counted-rules.ts). */
export interface CountedRules {
  readonly ids: readonly string[];
  readonly text: string;
}

/** The values that are counted on an account's day, by their names. */
export interface TagDay {
  readonly values: Map<string, Set<string>>;
  count: number;
}

/** A value that is counted on a day for the first time. */
export interface TagValue {
  readonly account_id: string;
  readonly day: number;
  readonly name: string;
  readonly value: string;
}

/** An addition to the usage of a request's tag. */
export interface TagUsageChange extends UsageChange {
  readonly name: string;
  readonly value: string;
  /** "" where the request belongs to no project. */
  readonly project_id: string;
}

/** A working set without changes, on rows that may be there already. */
export function newWorkingSet(
  now_ms: number,
  rows: Pick<WorkingSet, "accounts" | "keys" | "requests"> & Partial<Pick<WorkingSet, "projects">>,
): WorkingSet {
  return {
    now_ms,
    day: dayOf(now_ms),
    accounts: rows.accounts,
    keys: rows.keys,
    requests: rows.requests,
    projects: rows.projects ?? new Map(),
    rule_counts: new Map(),
    changed_rules: [],
    ruled_accounts: [],
    loaded_requests: [],
    changed_accounts: [],
    changed_keys: [],
    changed_limits: [],
    changed_projects: [],
    changed_requests: [],
    idempotency: new Map(),
    idempotency_ends: [],
    idempotency_deletes: [],
    entries: [],
    usage: new Map(),
    changed_usage: [],
    last_usage: null,
    project_usage: new Map(),
    changed_project_usage: [],
    tag_usage: new Map(),
    changed_tag_usage: [],
    tag_days: new Map(),
    new_tag_values: [],
    recovered: new Map(),
    late: [],
  };
}

/** Lists a row as changed, once. */
function list<Row extends { changed: boolean }>(row: Row, changed: Row[]): void {
  if (row.changed) return;
  row.changed = true;
  changed.push(row);
}

export function changeAccount(working: WorkingSet, account: AccountState): void {
  list(account, working.changed_accounts);
}

export function changeKey(working: WorkingSet, key: KeyState): void {
  list(key, working.changed_keys);
}

/** Lists an account whose counts under its limits changed; an account without limits has none. */
export function changeLimits(working: WorkingSet, account: AccountState): void {
  if (account.limits === null || account.limits.changed) return;
  account.limits.changed = true;
  working.changed_limits.push(account);
}

export function changeProject(working: WorkingSet, project: ProjectState): void {
  list(project, working.changed_projects);
}

export function changeRule(working: WorkingSet, state: RuleState): void {
  list(state, working.changed_rules);
}

/** The name of a rule's counts among those of all accounts. */
export function ruleId(account_id: string, rule: string, value: string): string {
  return `${account_id}\n${rule}\n${value}`;
}

/** The parts of `ruleId`; only a value may contain a line break. */
export function rulePlace(id: string): [account_id: string, rule: string, value: string] {
  const [account_id = "", rule = "", ...value] = id.split("\n");
  return [account_id, rule, value.join("\n")];
}

/** The project of a key or a request; null where it has none. Throws where the store did not load it. */
export function projectOf(working: WorkingSet, { project_id }: { readonly project_id: string | null }) {
  if (project_id === null) return null;
  const project = working.projects.get(project_id);
  if (project === undefined) throw new Error(`the project ${project_id} is missing`);
  return project;
}

export function changeRequest(working: WorkingSet, request: RequestState): void {
  list(request, working.changed_requests);
}

/** Today, in the calendar of an account's time zone. */
export function dayOfAccount(working: Pick<WorkingSet, "now_ms" | "day">, time_zone: string | null): number {
  return time_zone === null ? working.day : timeZoneOf(time_zone).dayAt(working.now_ms);
}
