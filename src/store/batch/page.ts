import type { AccountStatus, BudgetWindow, KeyStatus } from "../../core/principal.ts";
import type { RequestStatus } from "../../core/ledger.ts";
import type { Micro } from "../../core/money.ts";
import type { Wallet } from "../../ledger/wallet.ts";
import type { Bucket } from "../../limits/bucket.ts";
import { dayOf } from "../../limits/windows.ts";
import type { Value } from "../sql/statement.ts";
import type { BookAdmit, BookAnswer, BookOutcome, BookUsage } from "./book-op.ts";

/**
 * The page of the books that a batch works on: the rows it concerns, loaded at its start, changed in memory by one
 * operation after the other, and written back at its end, all in one transaction. So each operation sees what those
 * before it did, and one that is refused changes nothing. What is changed is also listed, by `changeAccount` and its
 * like, since there may be many more rows that other batches have left here. The one writer of a SQLite file writes its
 * page back only after many batches (see open-page.ts); "new" below is what was not written yet.
 */
export interface Page {
  /** When the batch is decided. */
  now_ms: number;
  /** The UTC day of `now_ms`, and of all usage that is new. */
  day: number;
  readonly accounts: Map<string, AccountState>;
  readonly keys: Map<string, KeyState>;
  readonly requests: Map<string, RequestState>;
  /** Accounts that have a rule of automatic top-ups. */
  readonly ruled_accounts: AccountState[];
  /** Read from their rows, ended ones among them. */
  readonly loaded_requests: RequestState[];
  readonly changed_accounts: AccountState[];
  readonly changed_keys: KeyState[];
  /** Admitted, changed or ended. */
  readonly changed_requests: RequestState[];
  /** Records of the idempotency keys that this batch's admissions use, by `idempotencyId`. */
  readonly idempotency: Map<string, IdempotencyState>;
  /** Rows for the end of records that are not fresh. */
  readonly idempotency_ends: Value[][];
  readonly idempotency_deletes: Value[][];
  /** Rows for `entries`, in order. */
  readonly entries: NewEntry[];
  readonly usage: Map<string, UsageChange>;
  /** The one of `usage` that was asked for last. */
  last_usage: UsageChange | null;
}

/** An entry: the charge of a request, or an automatic top-up. */
export interface NewEntry {
  readonly account_id: string;
  readonly seq: number;
  readonly amount_micro: Micro;
  readonly posted_after_micro: Micro;
  readonly created_ms: number;
  /** Null for a top-up. */
  readonly request_id: string | null;
}

export interface AccountState {
  readonly id: string;
  readonly status: AccountStatus;
  wallet: Wallet;
  entry_count: number;
  /** Below which balance its rule of automatic top-ups credits it; null without a rule. */
  readonly top_up_below_micro: Micro | null;
  /** The rule, loaded where there is one. */
  top_up: TopUpState | null;
  changed: boolean;
}

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

export interface KeyState {
  readonly id: string;
  readonly account_id: string;
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
  /** Charges in the window that starts at `spent_start_day`; of no meaning for any other window. */
  spent_window: BudgetWindow | null;
  spent_start_day: number;
  spent_micro: Micro;
  last_used_ms: number | null;
  changed: boolean;
}

export interface RequestState {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly created_ms: number;
  readonly bound_tokens: number;
  readonly idempotency_key: string | null;
  /** The model of the admission; what answered is in `end`. */
  readonly model: string;
  /** The price of the admission; null when it is not known here. */
  readonly price: string | null;
  /** Set when the admission is new. */
  admitted: BookAdmit | null;
  status: RequestStatus;
  hold_micro: Micro;
  /** What is new of the hold, beyond what it was admitted with. */
  extended_micro: Micro;
  deadline_ms: number;
  progress: string | null;
  end: RequestEnd | null;
  /** Whether hold, deadline or progress have changed. */
  hold_changed: boolean;
  changed: boolean;
}

/** How a request ended. */
export interface RequestEnd {
  readonly ended_ms: number;
  readonly charge_micro: Micro;
  readonly operator_loss_micro: Micro;
  /** What answered; null when nothing that is charged did. */
  readonly answered: { readonly model: string; readonly price: string; readonly usage: BookUsage } | null;
  readonly estimated: boolean;
  readonly success: boolean;
  readonly outcome: BookOutcome | null;
}

export interface IdempotencyState {
  readonly account_id: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly request_id: string;
  readonly expires_ms: number;
  /** Whether this batch made it: then it is written as it stands at the end, if it is still there. */
  readonly fresh: boolean;
  state: "running" | "kept" | "not_kept";
  answer: BookAnswer | null;
}

/** What is added to one row of `usage_days`. */
export interface UsageChange {
  readonly account_id: string;
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

/** An empty page, on rows that may be there already. */
export function newPage(now_ms: number, rows: Pick<Page, "accounts" | "keys" | "requests">): Page {
  return {
    now_ms,
    day: dayOf(now_ms),
    accounts: rows.accounts,
    keys: rows.keys,
    requests: rows.requests,
    ruled_accounts: [],
    loaded_requests: [],
    changed_accounts: [],
    changed_keys: [],
    changed_requests: [],
    idempotency: new Map(),
    idempotency_ends: [],
    idempotency_deletes: [],
    entries: [],
    usage: new Map(),
    last_usage: null,
  };
}

export function changeAccount(page: Page, account: AccountState): void {
  if (account.changed) return;
  account.changed = true;
  page.changed_accounts.push(account);
}

export function changeKey(page: Page, key: KeyState): void {
  if (key.changed) return;
  key.changed = true;
  page.changed_keys.push(key);
}

export function changeRequest(page: Page, request: RequestState): void {
  if (request.changed) return;
  request.changed = true;
  page.changed_requests.push(request);
}

export function idempotencyId(account_id: string, key: string): string {
  return `${account_id} ${key}`;
}
