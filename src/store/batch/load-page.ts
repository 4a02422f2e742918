import { systemClock } from "../../core/clock.ts";
import type { BudgetWindow } from "../../core/principal.ts";
import { windowStart } from "../../limits/windows.ts";
import { CLOCK, type ClockRow } from "../sql/clock.ts";
import { type Dialect, lookup, type Statement, sql, sqlFor } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import type { BookOp } from "./book-op.ts";
import { needsOf } from "./needs.ts";
import { changeKey, idempotencyId, type KeyState, newPage, type Page } from "./page.ts";
import * as rowsOf from "./page-rows.ts";
import { isSumStale } from "./spent.ts";

const { ACCOUNT_COLUMNS, IDEMPOTENCY_COLUMNS, KEY_COLUMNS, KEY_STATE_COLUMNS, REQUEST_COLUMNS, TOP_UP_COLUMNS } =
  rowsOf;

const selectAccounts = lookup(`SELECT ${ACCOUNT_COLUMNS} FROM accounts`, { id: "text" });
// Not joined: on SQLite two look-ups by primary key cost a tenth of the join of two.
const selectKeys = lookup(`SELECT ${KEY_COLUMNS} FROM keys`, { id: "text" });
const selectKeyStates = lookup(`SELECT ${KEY_STATE_COLUMNS} FROM key_state`, { key_id: "text" });
const selectRequests = lookup(`SELECT ${REQUEST_COLUMNS} FROM requests`, { id: "text" });
const selectIdempotency = lookup(`SELECT ${IDEMPOTENCY_COLUMNS} FROM idempotency`, { account_id: "text", key: "text" });

const selectTopUps = lookup(`SELECT ${TOP_UP_COLUMNS} FROM auto_top_ups`, { account_id: "text" });

/** PostgreSQL only. In the order of ids, so that two gateways never wait for each other in a circle. */
const lockAccounts = postgresOnly(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id IN (
    SELECT jsonb_array_elements_text($1::text::jsonb)
    UNION SELECT account_id FROM requests WHERE id IN (SELECT jsonb_array_elements_text($2::text::jsonb))
  ) ORDER BY id FOR NO KEY UPDATE`);
const KEYS_CONCERNED = `SELECT jsonb_array_elements_text($1::text::jsonb)
    UNION SELECT key_id FROM requests WHERE id IN (SELECT jsonb_array_elements_text($2::text::jsonb))`;
const selectKeysConcerned = postgresOnly(`SELECT ${KEY_COLUMNS} FROM keys WHERE id IN (${KEYS_CONCERNED})`);
const selectKeyStatesConcerned = postgresOnly(
  `SELECT ${KEY_STATE_COLUMNS} FROM key_state WHERE key_id IN (${KEYS_CONCERNED})`,
);

const sumSpent = sql(
  "SELECT CAST(coalesce(sum(cost_micro), 0) AS BIGINT) AS spent_micro FROM usage_days WHERE account_id = ? AND key_id = ? AND day >= ?",
);

function postgresOnly(postgres: string): Statement {
  return sqlFor({ sqlite: "", postgres });
}

/**
 * A page with the rows that a batch concerns. On PostgreSQL the accounts are locked first: whoever changes anything of an
 * account holds its lock, so what is read after it cannot change before the commit. SQLite has one writer.
 */
export function* loadPage(dialect: Dialect, ops: readonly BookOp[]): Work<Page> {
  if (dialect === "postgres") return yield* loadLocked(ops);
  // The database is on this machine: its clock is this one.
  const page = emptyPage(systemClock.now_ms());
  yield* loadMissing(page, ops);
  return page;
}

function emptyPage(now_ms: number): Page {
  return newPage(now_ms, { accounts: new Map(), keys: new Map(), requests: new Map() });
}

function* loadLocked(ops: readonly BookOp[]): Work<Page> {
  const needs = needsOf(ops, emptyPage(0));
  const request_ids = JSON.stringify([...needs.requests]);
  const accounts = yield* rows<rowsOf.AccountRow>(lockAccounts, [JSON.stringify([...needs.accounts]), request_ids]);
  const key_params = [JSON.stringify([...needs.keys]), request_ids];
  const [clock, requests = [], idempotency = [], keys = [], key_states = []] = yield [
    { statement: CLOCK, params: [] },
    { statement: selectRequests, params: singles(needs.requests) },
    { statement: selectIdempotency, params: needs.idempotency },
    { statement: selectKeysConcerned, params: key_params },
    { statement: selectKeyStatesConcerned, params: key_params },
  ];
  const page = emptyPage(toInt((clock as readonly ClockRow[])[0]?.now_ms));
  addRequests(page, requests as readonly rowsOf.RequestRow[]);
  addIdempotency(page, idempotency as readonly rowsOf.IdempotencyRow[]);
  yield* addAccounts(page, accounts);
  addKeys(page, keys as readonly rowsOf.KeyRow[], key_states as readonly rowsOf.KeyStateRow[]);
  return page;
}

/** Adds the rows that a batch concerns and that are not on a page yet. Only for a database's one writer. */
export function* loadMissing(page: Page, ops: readonly BookOp[]): Work<void> {
  const { requests, idempotency, accounts, keys } = needsOf(ops, page);
  if (idempotency.length > 0) {
    addIdempotency(page, yield* rows<rowsOf.IdempotencyRow>(selectIdempotency, idempotency));
  }
  if (requests.size > 0) {
    const found = yield* rows<rowsOf.RequestRow>(selectRequests, singles(requests));
    addRequests(page, found);
    for (const { account_id, key_id } of found) {
      if (!page.accounts.has(account_id)) accounts.add(account_id);
      if (!page.keys.has(key_id)) keys.add(key_id);
    }
  }
  if (accounts.size > 0) yield* addAccounts(page, yield* rows<rowsOf.AccountRow>(selectAccounts, singles(accounts)));
  if (keys.size > 0) {
    const [found = [], states = []] = yield [
      { statement: selectKeys, params: singles(keys) },
      { statement: selectKeyStates, params: singles(keys) },
    ];
    addKeys(page, found as readonly rowsOf.KeyRow[], states as readonly rowsOf.KeyStateRow[]);
  }
}

function singles(ids: ReadonlySet<string>): string[][] {
  const params: string[][] = [];
  for (const id of ids) params.push([id]);
  return params;
}

function addRequests(page: Page, found: readonly rowsOf.RequestRow[]): void {
  for (const each of found) {
    const request = rowsOf.requestState(each);
    page.requests.set(each.id, request);
    page.loaded_requests.push(request);
  }
}

function addIdempotency(page: Page, found: readonly rowsOf.IdempotencyRow[]): void {
  for (const each of found) {
    page.idempotency.set(idempotencyId(each.account_id, each.key), rowsOf.idempotencyState(each));
  }
}

function addKeys(page: Page, found: readonly rowsOf.KeyRow[], of_keys: readonly rowsOf.KeyStateRow[]): void {
  const states = new Map(of_keys.map((state) => [state.key_id, state]));
  for (const each of found) {
    const state = states.get(each.id);
    if (state) page.keys.set(each.id, rowsOf.keyState(each, state));
  }
}

/** Adds accounts, with their rules of automatic top-ups where they have one: of most batches no account has. */
function* addAccounts(page: Page, found: readonly rowsOf.AccountRow[]): Work<void> {
  for (const each of found) {
    const account = rowsOf.accountState(each);
    page.accounts.set(account.id, account);
    if (account.top_up_below_micro !== null) page.ruled_accounts.push(account);
  }
  if (page.ruled_accounts.length === 0) return;
  const ids = page.ruled_accounts.map(({ id }) => [id]);
  for (const rule of yield* rows<rowsOf.TopUpRow>(selectTopUps, ids)) {
    const account = page.accounts.get(rule.account_id);
    if (account) account.top_up = rowsOf.topUpState(rule);
  }
}

/** A key whose kept sum is of another window than the one that a batch asks for. */
export interface StaleSum {
  readonly key: KeyState;
  readonly window: BudgetWindow;
}

export function staleSums(page: Page, ops: readonly BookOp[]): readonly StaleSum[] {
  const stale: StaleSum[] = [];
  for (const op of ops) {
    const key = op.op === "admit" ? page.keys.get(op.key_id) : keyOfExtension(page, op);
    const window = op.op === "admit" ? op.budget_window : key?.budget_window;
    if (key && window && isSumStale(key, window, page.day)) stale.push({ key, window });
  }
  return stale;
}

/** Sums up what those keys have spent, from the days' usage as it is written. */
export function* loadSpent(page: Page, stale: readonly StaleSum[]): Work<void> {
  for (const { key, window } of stale) {
    if (!isSumStale(key, window, page.day)) continue;
    const start_day = windowStart(window, page.day);
    const sum = yield* row<{ spent_micro: unknown }>(sumSpent, [key.account_id, key.id, start_day]);
    key.spent_window = window;
    key.spent_start_day = start_day;
    key.spent_micro = toMicro(sum?.spent_micro);
    changeKey(page, key);
  }
}

function keyOfExtension(page: Page, op: BookOp): KeyState | undefined {
  if (op.op !== "extend") return undefined;
  const request = page.requests.get(op.request_id);
  return request && page.keys.get(request.key_id);
}
