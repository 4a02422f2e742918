import { dayOf, windowStart } from "../../limits/windows.ts";
import { CLOCK, type ClockRow } from "../sql/clock.ts";
import { type Dialect, lookup, type Statement, sql, sqlFor } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Step, type Work } from "../sql/work.ts";
import type { BookOp } from "./book-op.ts";
import { type Needs, needsOf } from "./needs.ts";
import { idempotencyId, type KeyState, type Page } from "./page.ts";
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
 * Loads the rows that a batch concerns. On PostgreSQL the accounts are locked first: whoever changes anything of an
 * account holds its lock, so what is read after it cannot change before the commit. SQLite has one writer.
 */
export function* loadPage(dialect: Dialect, ops: readonly BookOp[]): Work<Page> {
  const needs = needsOf(ops);
  const page = dialect === "postgres" ? yield* loadLocked(needs) : yield* loadOwned(needs);
  yield* loadTopUps(page);
  yield* loadSpent(page, ops);
  return page;
}

function* loadLocked(needs: Needs): Work<Page> {
  const request_ids = JSON.stringify([...needs.requests]);
  const accounts = yield* rows<rowsOf.AccountRow>(lockAccounts, [JSON.stringify([...needs.accounts]), request_ids]);
  const key_params = [JSON.stringify([...needs.keys]), request_ids];
  const [clock, requests, idempotency, keys, key_states] = yield [
    { statement: CLOCK, params: [] },
    { statement: selectRequests, params: singles(needs.requests) },
    { statement: selectIdempotency, params: needs.idempotency },
    { statement: selectKeysConcerned, params: key_params },
    { statement: selectKeyStatesConcerned, params: key_params },
  ];
  return fill({ clock, requests, idempotency, keys, key_states, accounts });
}

function* loadOwned(needs: Needs): Work<Page> {
  const first: Step[] = [{ statement: CLOCK, params: [] }];
  first.push({ statement: selectRequests, params: singles(needs.requests) });
  first.push({ statement: selectIdempotency, params: needs.idempotency });
  const [clock, requests = [], idempotency] = yield first;
  const account_ids = new Set(needs.accounts);
  const key_ids = new Set(needs.keys);
  for (const { account_id, key_id } of requests as readonly rowsOf.RequestRow[]) {
    account_ids.add(account_id);
    key_ids.add(key_id);
  }
  const [accounts, keys, key_states] = yield [
    { statement: selectAccounts, params: singles(account_ids) },
    { statement: selectKeys, params: singles(key_ids) },
    { statement: selectKeyStates, params: singles(key_ids) },
  ];
  return fill({ clock, requests, idempotency, keys, key_states, accounts });
}

function singles(ids: ReadonlySet<string>): string[][] {
  const params: string[][] = [];
  for (const id of ids) params.push([id]);
  return params;
}

type Loaded = "clock" | "requests" | "idempotency" | "keys" | "key_states" | "accounts";
type Found = Readonly<Record<Loaded, readonly unknown[] | undefined>>;

function fill(found: Found): Page {
  const now_ms = toInt((found.clock as readonly ClockRow[])[0]?.now_ms);
  const page: Page = {
    now_ms,
    day: dayOf(now_ms),
    accounts: new Map(),
    keys: new Map(),
    requests: new Map(),
    idempotency: new Map(),
    idempotency_ends: [],
    idempotency_deletes: [],
    entries: [],
    usage: new Map(),
  };
  for (const each of found.accounts as readonly rowsOf.AccountRow[])
    page.accounts.set(each.id, rowsOf.accountState(each));
  const states = new Map((found.key_states as readonly rowsOf.KeyStateRow[]).map((state) => [state.key_id, state]));
  for (const each of found.keys as readonly rowsOf.KeyRow[]) {
    const state = states.get(each.id);
    if (state) page.keys.set(each.id, rowsOf.keyState(each, state));
  }
  for (const each of found.requests as readonly rowsOf.RequestRow[])
    page.requests.set(each.id, rowsOf.requestState(each));
  for (const each of found.idempotency as readonly rowsOf.IdempotencyRow[]) {
    page.idempotency.set(idempotencyId(each.account_id, each.key), rowsOf.idempotencyState(each));
  }
  return page;
}

/** Loads the rules of automatic top-ups, where accounts have one: of most batches no account has. */
function* loadTopUps(page: Page): Work<void> {
  let ids: string[][] | null = null;
  for (const { id, top_up_below_micro } of page.accounts.values()) {
    if (top_up_below_micro === null) continue;
    ids ??= [];
    ids.push([id]);
  }
  if (ids === null) return;
  for (const found of yield* rows<rowsOf.TopUpRow>(selectTopUps, ids)) {
    const account = page.accounts.get(found.account_id);
    if (account) account.top_up = rowsOf.topUpState(found);
  }
}

/** Sums up what keys have spent whose kept sum is of another window than the one that this batch asks for. */
function* loadSpent(page: Page, ops: readonly BookOp[]): Work<void> {
  for (const op of ops) {
    const key = op.op === "admit" ? page.keys.get(op.key_id) : keyOfExtension(page, op);
    const window = op.op === "admit" ? op.budget_window : key?.budget_window;
    if (!key || !window || !isSumStale(key, window, page.day)) continue;
    const start_day = windowStart(window, page.day);
    const sum = yield* row<{ spent_micro: unknown }>(sumSpent, [key.account_id, key.id, start_day]);
    key.spent_window = window;
    key.spent_start_day = start_day;
    key.spent_micro = toMicro(sum?.spent_micro);
    key.changed = true;
  }
}

function keyOfExtension(page: Page, op: BookOp): KeyState | undefined {
  if (op.op !== "extend") return undefined;
  const request = page.requests.get(op.request_id);
  return request && page.keys.get(request.key_id);
}
