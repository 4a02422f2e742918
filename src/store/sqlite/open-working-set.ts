import { ZERO } from "../../core/money/money.ts";
import { projectUsageId, tagUsageId, usageId } from "../../ledger/books/usage-change.ts";
import {
  type AccountState,
  type KeyState,
  newWorkingSet,
  type RequestState,
  type RuleState,
  type WorkingSet,
} from "../../ledger/books/working-set.ts";
import { dayOf } from "../../limits/windows.ts";
import { SharedTexts } from "../batch/shared-texts.ts";
import { type WaitingAccount, WaitingAccounts } from "./waiting-accounts.ts";

/** The most accounts and keys that are kept; beyond it the older half is dropped and read again when needed. */
const KEPT_AT_MOST = 40_000;

/**
 * The working set of a database's one writer, which stays open from one batch to the next. The changes that a batch decided
 * wait in it, with the journal as their proof, until those of many batches are written together (docs/adr/0015, 0034). The rows that
 * were loaded or written stay as well (accounts and keys that a batch concerned, and holds that are open): the writer wrote them
 * itself, so reading them again would bring nothing new (docs/design/storage.md).
 *
 * Working set and journal together are what the books say. The working set is thrown away when a batch fails and when another
 * connection has written anything, which the database says at the start of each transaction (docs/rulings.md 132).
 */
export class OpenWorkingSet {
  readonly texts = new SharedTexts();
  #working = emptyWorkingSet();
  #waiting = new WaitingAccounts();
  #data_version: unknown = null;
  #passed = 0;
  /**
   * The commit up to which the journal was emptied, where it has later ones. Accounts may contain later commits than this, and some batches
   * of the journal may have changed no account.
   */
  journal_after: number | null = null;
  /** Whether the journal has further batches to remove after the last step. */
  is_shortening = false;

  get working(): WorkingSet {
    return this.#working;
  }

  /** The accounts with changes that are not in their tables yet. */
  get waiting(): WaitingAccounts {
    return this.#waiting;
  }

  /** Whether there are decisions that are not in the tables, or batches of the journal that are in them already. */
  get isWaiting(): boolean {
    return this.journal_after !== null || this.#waiting.rows > 0;
  }

  /** Throws everything away. The operations that waited are still in the journal. */
  forget(): void {
    this.#working = emptyWorkingSet();
    this.#waiting = new WaitingAccounts();
    this.journal_after = null;
    this.is_shortening = false;
    this.texts.forget();
  }

  /** Whether the data is still of the version that the working set was read from. */
  isOf(data_version: unknown): boolean {
    return data_version === this.#data_version;
  }

  /** Throws everything away, because the data is of another version. */
  begin(data_version: unknown): void {
    this.forget();
    this.#data_version = data_version;
  }

  /** Moves the working set to the time of the next batch. */
  turnTo(now_ms: number): void {
    const working = this.#working;
    const day = dayOf(now_ms);
    if (day !== working.day) {
      working.usage.clear();
      working.project_usage.clear();
      working.tag_usage.clear();
      working.tag_days.clear();
      working.last_usage = null;
    }
    working.now_ms = now_ms;
    working.day = day;
  }

  /**
   * Keeps the changes of a batch until they are written. `seq`: the number of its commit. Returns the accounts that have more rows to write.
   */
  letWait(seq: number): readonly WaitingAccount[] {
    const working = this.#working;
    const grown = this.#waiting.take(working, seq);
    for (const request of working.loaded_requests) {
      const [waits] = this.#waiting.of([request.account_id]);
      // The request's row lacks the waiting changes.
      if (waits !== undefined) waits.loaded.push(request);
      else this.#keepRow(request);
    }
    for (const list of [
      working.changed_accounts,
      working.changed_requests,
      working.changed_keys,
      working.changed_limits,
      working.changed_usage,
      working.changed_projects,
      working.changed_rules,
      working.changed_project_usage,
      working.changed_tag_usage,
      working.new_tag_values,
      working.loaded_requests,
      working.entries,
      working.late,
    ])
      list.length = 0;
    return grown;
  }

  /** Takes note that the changes of accounts are written: the rows stay, and count as new no more. */
  written(accounts: readonly WaitingAccount[]): void {
    const working = this.#working;
    for (const { account, requests, loaded, keys, usage, projects, rules, project_usage, tag_usage } of accounts) {
      account.changed = false;
      if (account.limits !== null) account.limits.changed = false;
      for (const key of keys) key.changed = false;
      for (const request of requests) this.#keepRow(request);
      for (const request of loaded) this.#keepRow(request);
      for (const change of usage) working.usage.delete(usageId(change));
      for (const project of projects) project.changed = false;
      for (const state of rules) state.changed = false;
      for (const change of project_usage) working.project_usage.delete(projectUsageId(change));
      for (const change of tag_usage) working.tag_usage.delete(tagUsageId(change));
      this.#passed += requests.length + tag_usage.length;
    }
    working.last_usage = null;
    this.#waiting.written(accounts);
    this.#thin();
  }

  /** Ends a batch whose changes are written, or wait. */
  endBatch(): void {
    const working = this.#working;
    // Few accounts have a rule of top-ups, and its state is read anew for each batch.
    for (const { id } of working.ruled_accounts) working.accounts.delete(id);
    for (const list of [working.ruled_accounts, working.idempotency_ends, working.idempotency_deletes]) list.length = 0;
    if (working.idempotency.size > 0) working.idempotency.clear();
  }

  #keepRow(request: RequestState): void {
    const { requests, recovered } = this.#working;
    if (request.status !== "held") {
      requests.delete(request.id);
      recovered.delete(request.id);
    }
    request.changed = false;
    request.hold_changed = false;
    request.admitted = null;
    request.extended_micro = ZERO;
  }

  /** A Map that many members passed through slows down every young collection (core/unordered-set.ts says why); a new Map does not. */
  #thin(): void {
    const { accounts, keys, requests, usage, project_usage, tag_usage, tag_days, recovered, ...rest } = this.#working;
    const { rule_counts } = rest;
    const is_full = accounts.size + keys.size + rule_counts.size > KEPT_AT_MOST;
    if (!is_full && this.#passed <= 100 + 2 * (requests.size + usage.size)) return;
    this.#passed = 0;
    const kept_keys = is_full ? this.#newerHalf(keys, ({ changed }) => changed) : keys;
    this.#working = {
      ...rest,
      accounts: is_full ? this.#newerHalf(accounts, ({ id }) => this.#waiting.has(id)) : accounts,
      keys: kept_keys,
      projects: is_full ? this.#projectsOf(kept_keys, requests) : rest.projects,
      rule_counts: is_full ? this.#newerHalf(rule_counts, ({ changed }) => changed) : rule_counts,
      requests: new Map(requests),
      usage: new Map(usage),
      project_usage: new Map(project_usage),
      tag_usage: new Map(tag_usage),
      tag_days: is_full ? this.#waitingDays(tag_days) : tag_days,
      recovered: new Map(recovered),
    };
  }

  /** The projects of the keys and requests that are kept, because each of those expects its project in the working set. */
  #projectsOf(
    ...named: readonly ReadonlyMap<string, { readonly project_id: string | null }>[]
  ): WorkingSet["projects"] {
    const ids = new Set(named.flatMap((rows) => Array.from(rows.values(), ({ project_id }) => project_id)));
    return new Map([...this.#working.projects].filter(([id, { changed }]) => changed || ids.has(id)));
  }

  /** The days of waiting accounts; the days of other accounts are read again when needed. */
  #waitingDays(days: WorkingSet["tag_days"]): WorkingSet["tag_days"] {
    return new Map([...days].filter(([account_id]) => this.#waiting.has(account_id)));
  }

  #newerHalf<Row extends AccountState | KeyState | RuleState>(
    rows: ReadonlyMap<string, Row>,
    isNeeded: (row: Row) => boolean,
  ): Map<string, Row> {
    const kept = new Map<string, Row>();
    let left = rows.size / 2;
    for (const [id, row] of rows) {
      left -= 1;
      if (left < 0 || isNeeded(row)) kept.set(id, row);
    }
    return kept;
  }
}

function emptyWorkingSet(): WorkingSet {
  return newWorkingSet(0, { accounts: new Map(), keys: new Map(), requests: new Map() });
}
