import type { BookedEntry } from "../../ledger/books/booked-rows.ts";
import {
  type AccountState,
  type KeyState,
  type LateEnd,
  newWorkingSet,
  type ProjectState,
  type ProjectUsageChange,
  type RequestState,
  type RuleState,
  type TagUsageChange,
  type TagValue,
  type UsageChange,
  type WorkingSet,
} from "../../ledger/books/working-set.ts";

/** The decisions about an account since its rows were last written. They are all written in one transaction. */
export interface WaitingAccount {
  readonly account: AccountState;
  /** The first commit that the account's rows do not have. */
  readonly since_seq: number;
  /** The last commit that added a row. */
  last_seq: number;
  /** How many rows will be written, about. */
  rows: number;
  limits_changed: boolean;
  readonly requests: RequestState[];
  /** Requests that were read from their rows, some of which did not change. */
  readonly loaded: RequestState[];
  readonly entries: BookedEntry[];
  readonly keys: KeyState[];
  readonly usage: UsageChange[];
  readonly projects: ProjectState[];
  readonly rules: RuleState[];
  readonly project_usage: ProjectUsageChange[];
  readonly tag_usage: TagUsageChange[];
  readonly tag_values: TagValue[];
  readonly late: LateEnd[];
}

/** An account with this many rows gains nothing by waiting for more: they fill pages of their own. Writing them takes some two milliseconds. */
const RIPE_ROWS = 600;
/** An account with this many rows is written with the batch that brought the last of them. */
const OVERDUE_ROWS = 900;
/** About as many rows are written in one step, of however many accounts. */
const STEP_ROWS = 600;

/**
 * The accounts that wait to be written (docs/design/storage.md). An account's rows are consistent by themselves: accounts share no row and no
 * transaction, so each can be written at its own time. Accounts are written in the order of their ids, because their rows lie in that
 * order in most tables: the waiting rows of many accounts are then in few pages, and no page is written twice.
 */
export class WaitingAccounts {
  #accounts = new Map<string, WaitingAccount>();
  #rows = 0;
  /** Deleted members since the Map was made. A Map that many passed through slows young collections down (core/unordered-set.ts). */
  #passed = 0;
  /** The rest of the round that is being written, the next account last. */
  #round: WaitingAccount[] = [];
  /** Accounts with many rows, which are written before the others. */
  #ripe: WaitingAccount[] = [];
  #is_overdue = false;

  get size(): number {
    return this.#accounts.size;
  }

  /** How many rows wait, about. */
  get rows(): number {
    return this.#rows;
  }

  /** The first commit that some account's rows do not have; null where no account waits. */
  get since_seq(): number | null {
    for (const { since_seq } of this.#accounts.values()) return since_seq;
    return null;
  }

  /** Whether there are accounts that need not wait any longer: of a round that has begun, or with many rows. */
  get hasNext(): boolean {
    return this.#ripe.length > 0 || this.#round.length > 0;
  }

  /** Whether a round has begun and is not over. */
  get isInRound(): boolean {
    return this.#round.length > 0;
  }

  /** Whether an account has waited too long for its step. */
  get isOverdue(): boolean {
    return this.#is_overdue;
  }

  /** Begins a round: every account that waits now is written in the next steps. */
  beginRound(): void {
    if (this.#round.length > 0) return;
    this.#round = [...this.#accounts.values()].sort((one, other) => (one.account.id < other.account.id ? 1 : -1));
  }

  next(most_rows = STEP_ROWS): readonly WaitingAccount[] {
    const accounts = new Set<WaitingAccount>();
    let rows = 0;
    while (rows < most_rows) {
      const one = this.#ripe.pop() ?? this.#round.pop();
      if (one === undefined) break;
      // The account may have been written since, with a batch of its own.
      if (this.#accounts.get(one.account.id) !== one || accounts.has(one)) continue;
      accounts.add(one);
      rows += one.rows;
    }
    this.#is_overdue = false;
    return [...accounts];
  }

  all(): readonly WaitingAccount[] {
    return [...this.#accounts.values()];
  }

  of(account_ids: Iterable<string>): readonly WaitingAccount[] {
    return Array.from(new Set(account_ids), (id) => this.#accounts.get(id)).filter((one) => one !== undefined);
  }

  has(account_id: string): boolean {
    return this.#accounts.has(account_id);
  }

  /**
   * Adds the changes of a batch that did not wait before from a working set, and returns their accounts. `seq`: the number of the batch's
   * commit.
   */
  take(working: WorkingSet, seq: number): readonly WaitingAccount[] {
    const grown: WaitingAccount[] = [];
    let last: WaitingAccount | null = null;
    const of = (account_id: string): WaitingAccount => {
      if (last !== null && last.account.id === account_id) return last;
      let one = this.#accounts.get(account_id);
      if (one === undefined) one = this.#add(working, account_id, seq);
      if (one.last_seq !== seq) {
        one.last_seq = seq;
        grown.push(one);
      }
      last = one;
      return one;
    };
    for (const { id } of working.changed_accounts) of(id);
    for (const request of working.changed_requests) put(of(request.account_id), "requests", request);
    for (const entry of working.entries) put(of(entry.account_id), "entries", entry);
    for (const key of working.changed_keys) put(of(key.account_id), "keys", key);
    for (const change of working.changed_usage) put(of(change.account_id), "usage", change);
    for (const { id } of working.changed_limits) of(id).limits_changed = true;
    for (const project of working.changed_projects) put(of(project.account_id), "projects", project);
    for (const state of working.changed_rules) put(of(state.account_id), "rules", state);
    for (const change of working.changed_project_usage) put(of(change.account_id), "project_usage", change);
    for (const change of working.changed_tag_usage) put(of(change.account_id), "tag_usage", change);
    for (const met of working.new_tag_values) put(of(met.account_id), "tag_values", met);
    for (const end of working.late) put(of(end.account_id), "late", end);
    for (const one of grown) this.#count(one);
    return grown;
  }

  #add(working: WorkingSet, account_id: string, seq: number): WaitingAccount {
    const account = working.accounts.get(account_id);
    if (account === undefined) throw new Error(`the account ${account_id} has changes and is not loaded`);
    const of_projects = { projects: [], rules: [], project_usage: [], tag_usage: [], tag_values: [] };
    const lists = { requests: [], loaded: [], entries: [], keys: [], usage: [], ...of_projects, late: [] };
    const one: WaitingAccount = { account, since_seq: seq, last_seq: -1, rows: 0, limits_changed: false, ...lists };
    this.#accounts.set(account_id, one);
    return one;
  }

  #count(one: WaitingAccount): void {
    const of_projects = one.projects.length + one.rules.length + one.project_usage.length;
    const of_tags = one.tag_usage.length + 2 * one.tag_values.length;
    const of_keys = one.keys.length + one.usage.length + of_projects + of_tags;
    const rows = 1 + one.requests.length + one.entries.length + of_keys + one.late.length;
    this.#rows += rows - one.rows;
    if (rows >= RIPE_ROWS && one.rows < RIPE_ROWS) this.#ripe.push(one);
    if (rows >= OVERDUE_ROWS) this.#is_overdue = true;
    one.rows = rows;
  }

  written(accounts: readonly WaitingAccount[]): void {
    for (const one of accounts) {
      this.#accounts.delete(one.account.id);
      this.#rows -= one.rows;
    }
    this.#passed += accounts.length;
    if (this.#passed <= 100 + 2 * this.#accounts.size) return;
    this.#passed = 0;
    this.#accounts = new Map(this.#accounts);
  }
}

/** The changes of accounts that wait, as a working set that has no others. The accounts' own rows are not among them. */
export function changesOf(working: WorkingSet, accounts: readonly WaitingAccount[]): WorkingSet {
  const changes = newWorkingSet(working.now_ms, working);
  for (const one of accounts) {
    const { account, requests, entries, keys, usage, projects, project_usage, late, limits_changed } = one;
    for (const request of requests) changes.changed_requests.push(request);
    for (const entry of entries) changes.entries.push(entry);
    for (const key of keys) changes.changed_keys.push(key);
    for (const change of usage) changes.changed_usage.push(change);
    for (const project of projects) changes.changed_projects.push(project);
    for (const state of one.rules) changes.changed_rules.push(state);
    for (const change of project_usage) changes.changed_project_usage.push(change);
    for (const change of one.tag_usage) changes.changed_tag_usage.push(change);
    for (const met of one.tag_values) changes.new_tag_values.push(met);
    for (const end of late) changes.late.push(end);
    if (limits_changed) changes.changed_limits.push(account);
  }
  return changes;
}

type Lists = Omit<WaitingAccount, "account" | "since_seq" | "last_seq" | "rows" | "limits_changed" | "loaded">;

function put<Name extends keyof Lists>(one: WaitingAccount, name: Name, change: WaitingAccount[Name][number]): void {
  (one[name] as (typeof change)[]).push(change);
}
