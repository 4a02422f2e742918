import { systemClock } from "../../core/clock.ts";
import type { BookOp } from "../../ledger/books/book-op.ts";
import { idempotencyId } from "../../ledger/books/booked-rows.ts";
import { countedRules } from "../../ledger/books/limit-rules.ts";
import { type MissingRows, missingRows } from "../../ledger/books/missing-rows.ts";
import { addTagValue } from "../../ledger/books/request-tags.ts";
import { keepSum, type StaleSum } from "../../ledger/books/window-spending.ts";
import { newWorkingSet, ruleId, rulePlace, type TagDay, type WorkingSet } from "../../ledger/books/working-set.ts";
import { spentSince } from "../sql/spent-since.ts";
import { lookup, partLookup, sql } from "../sql/statement.ts";
import { rows, step, together, type Work } from "../sql/work.ts";
import * as rowsOf from "./read-rows.ts";

const { ACCOUNT_COLUMNS, IDEMPOTENCY_COLUMNS, KEY_COLUMNS, KEY_STATE_COLUMNS, REQUEST_STATE_COLUMNS, TOP_UP_COLUMNS } =
  rowsOf;

const selectAccounts = lookup(`SELECT ${ACCOUNT_COLUMNS} FROM accounts`, { id: "text" });
// Two statements in place of a join: on SQLite two look-ups by primary key cost a tenth of it.
const selectKeys = lookup(`SELECT ${KEY_COLUMNS} FROM keys`, { id: "text" });
const selectKeyStates = lookup(`SELECT ${KEY_STATE_COLUMNS} FROM key_state`, { key_id: "text" });
const selectRequests = lookup(`SELECT ${REQUEST_STATE_COLUMNS} FROM requests`, { id: "text" });
export const selectIdempotency = lookup(`SELECT ${IDEMPOTENCY_COLUMNS} FROM idempotency`, {
  account_id: "text",
  key: "text",
});

const selectProjects = lookup(`SELECT ${rowsOf.PROJECT_COLUMNS} FROM projects`, { id: "text" });
const selectLimits = lookup(`SELECT ${rowsOf.ACCOUNT_LIMIT_COLUMNS} FROM account_limits`, { account_id: "text" });
const selectTopUps = lookup(`SELECT ${TOP_UP_COLUMNS} FROM auto_top_ups`, { account_id: "text" });

const selectRecovered = partLookup(rowsOf.SELECT_RECOVERED, ["r.id", "text"]);

/** A working set with the rows that a batch concerns, for a database's one writer. */
export function* loadWorkingSet(ops: readonly BookOp[]): Work<WorkingSet> {
  // The database is on this machine: its clock is this machine's.
  const working = emptyWorkingSet(systemClock.now_ms());
  yield* loadMissing(working, ops);
  return working;
}

export function emptyWorkingSet(now_ms: number): WorkingSet {
  return newWorkingSet(now_ms, { accounts: new Map(), keys: new Map(), requests: new Map() });
}

/** Adds the rows that a batch concerns and that are not in the working set yet. Only for a database's one writer. */
export function* loadMissing(working: WorkingSet, ops: readonly BookOp[]): Work<void> {
  const missing = missingRows(ops, working);
  const { requests, accounts, keys } = missing;
  const named: InProject[] = [];
  if (missing.idempotency.length > 0) {
    addIdempotency(working, yield* rows<rowsOf.IdempotencyRow>(selectIdempotency, idempotencyParams(missing)));
  }
  if (requests.size > 0) {
    const found = yield* rows<rowsOf.RequestStateRow>(selectRequests, singles(requests));
    addRequests(working, found);
    named.push(...found);
    yield* addRecovered(working, found);
    for (const { account_id, key_id } of found) {
      if (!working.accounts.has(account_id)) accounts.add(account_id);
      if (!working.keys.has(key_id)) keys.add(key_id);
    }
  }
  if (accounts.size > 0) yield* addAccounts(working, yield* rows<rowsOf.AccountRow>(selectAccounts, singles(accounts)));
  if (keys.size > 0) {
    const ids = singles(keys);
    const [found, states] = yield* together(
      step<rowsOf.KeyRow>(selectKeys, ids),
      step<rowsOf.KeyStateRow>(selectKeyStates, ids),
    );
    addKeys(working, found, states);
    named.push(...found);
  }
  yield* addProjects(working, named);
  yield* addTagDays(working, ops);
  yield* addRules(working, ops);
}

const selectRules = lookup(`SELECT ${rowsOf.RULE_COLUMNS} FROM limit_counts`, {
  account_id: "text",
  rule: "text",
  value: "text",
});

/** Adds the counts of the rules of limits that operations, or the requests that they name, have: most have none. */
export function* addRules(working: WorkingSet, ops: readonly BookOp[]): Work<void> {
  const missing = new Set<string>();
  for (const op of ops) {
    if (op.op === "count-refusal") continue;
    const rules = op.op === "admit" ? countedRules(op) : (working.requests.get(op.request_id)?.rules ?? null);
    if (rules !== null) for (const id of rules.ids) if (!working.rule_counts.has(id)) missing.add(id);
  }
  if (missing.size === 0) return;
  const places = Array.from(missing, rulePlace);
  for (const found of yield* rows<rowsOf.RuleRow>(selectRules, places)) {
    const state = rowsOf.ruleState(found);
    working.rule_counts.set(ruleId(state.account_id, state.rule, state.value), state);
  }
  for (const place of places) {
    const id = ruleId(...place);
    if (!working.rule_counts.has(id)) working.rule_counts.set(id, rowsOf.newRuleState(...place));
  }
}

const selectTagValues = sql("SELECT name, value FROM request_tag_values WHERE account_id = ? AND day = ?");

/** Adds today's counted tags of the accounts whose admissions carry tags: most batches have none. */
export function* addTagDays(working: WorkingSet, ops: readonly BookOp[]): Work<void> {
  for (const op of ops) {
    if (op.op !== "admit" || (op.tags ?? null) === null || working.tag_days.has(op.account_id)) continue;
    const day: TagDay = { values: new Map(), count: 0 };
    const params = [op.account_id, working.day];
    for (const found of yield* rows<{ name: string; value: string }>(selectTagValues, params)) addTagValue(day, found);
    working.tag_days.set(op.account_id, day);
  }
}

interface InProject {
  readonly project_id: string | null;
}

/** Adds the projects of keys and requests that were read: most have none. */
export function* addProjects(working: WorkingSet, named: readonly InProject[]): Work<void> {
  const missing = new Set<string>();
  for (const { project_id } of named)
    if (project_id !== null && !working.projects.has(project_id)) missing.add(project_id);
  if (missing.size === 0) return;
  for (const found of yield* rows<rowsOf.ProjectRow>(selectProjects, singles(missing)))
    working.projects.set(found.id, rowsOf.projectState(found));
}

export function singles(ids: ReadonlySet<string>): string[][] {
  const params: string[][] = [];
  for (const id of ids) params.push([id]);
  return params;
}

export function idempotencyParams({ idempotency }: MissingRows): string[][] {
  return idempotency.map(({ account_id, key }) => [account_id, key]);
}

export function addRequests(working: WorkingSet, found: readonly rowsOf.RequestStateRow[]): void {
  for (const each of found) {
    const request = rowsOf.requestState(each);
    working.requests.set(each.id, request);
    working.loaded_requests.push(request);
  }
}

/**
 * Adds what recoveries charged for those of the requests that they ended, and the records of those requests' idempotency keys. In
 * most batches all requests run.
 */
export function* addRecovered(working: WorkingSet, found: readonly rowsOf.RequestStateRow[]): Work<void> {
  const ended = found.filter(({ status }) => status !== "held").map(({ id }) => [id]);
  if (ended.length === 0) return;
  for (const each of yield* rows<rowsOf.RecoveredRow>(selectRecovered, ended)) {
    if (rowsOf.isRecovered(each)) working.recovered.set(each.id, rowsOf.recoveredRequest(each));
  }
  const named: string[][] = [];
  for (const { id, account_id, idempotency_key } of found) {
    if (idempotency_key !== null && working.recovered.has(id)) named.push([account_id, idempotency_key]);
  }
  if (named.length > 0) addIdempotency(working, yield* rows<rowsOf.IdempotencyRow>(selectIdempotency, named));
}

export function addIdempotency(working: WorkingSet, found: readonly rowsOf.IdempotencyRow[]): void {
  for (const each of found) {
    working.idempotency.set(idempotencyId(each.account_id, each.key), rowsOf.idempotencyState(each));
  }
}

function addKeys(working: WorkingSet, found: readonly rowsOf.KeyRow[], of_keys: readonly rowsOf.KeyStateRow[]): void {
  const states = new Map(of_keys.map((state) => [state.key_id, state]));
  for (const each of found) {
    const state = states.get(each.id);
    if (state) working.keys.set(each.id, rowsOf.keyState(each, state));
  }
}

/** Adds accounts, with their limits and their rules of automatic top-ups. In most batches no account has either. */
export function* addAccounts(working: WorkingSet, found: readonly rowsOf.AccountRow[]): Work<void> {
  const limited: string[][] = [];
  for (const each of found) {
    const account = rowsOf.accountState(each);
    working.accounts.set(account.id, account);
    if (account.has_limits) limited.push([account.id]);
    if (account.top_up_below_micro !== null) working.ruled_accounts.push(account);
  }
  if (limited.length > 0) {
    for (const limits of yield* rows<rowsOf.AccountLimitRow>(selectLimits, limited)) {
      const account = working.accounts.get(limits.account_id);
      if (account) account.limits = rowsOf.accountLimitState(limits);
    }
  }
  if (working.ruled_accounts.length === 0) return;
  const ids = working.ruled_accounts.map(({ id }) => [id]);
  for (const rule of yield* rows<rowsOf.TopUpRow>(selectTopUps, ids)) {
    const account = working.accounts.get(rule.account_id);
    if (account) account.top_up = rowsOf.topUpState(rule);
  }
}

/** Makes stale sums anew, from the days' usage as it is written. */
export function* loadSums(working: WorkingSet, stale: readonly StaleSum[]): Work<void> {
  for (const each of stale) {
    const { account_id, key, project, spending, window, start_day, time_zone } = each;
    // A batch may ask twice for one sum.
    if (spending.spent_window === window && spending.spent_start_day === start_day) continue;
    const spender = { account_id, key_id: key?.id, project_id: project?.id };
    keepSum(working, each, yield* spentSince(spender, time_zone, start_day));
  }
}
