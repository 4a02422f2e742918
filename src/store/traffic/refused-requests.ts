import { REFUSED_KEPT, type RefusedQuery, type RefusedRequest } from "../../core/operations/refusals.ts";
import { Conditions, statementOf } from "../accounts/conditions.ts";
import { columnsOf, int, readFirst, readRows, text, textOrNull, typesOf, valuesOf } from "../sql/columns.ts";
import { insertEach, sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

const REFUSED = {
  account_id: text,
  at_ms: int,
  request_id: text,
  client_request_id: textOrNull,
  key_id: text,
  endpoint: text,
  code: text,
  status: int,
  asked_model: textOrNull,
  model: textOrNull,
  param: textOrNull,
  message: text,
} as const;
const addRefused = insertEach("refused_requests", typesOf(REFUSED), {
  conflict: "(account_id, at_ms, request_id) DO NOTHING",
});

/** All of an account's but the newest thousand. */
const dropBeyond = sql(
  `DELETE FROM refused_requests WHERE account_id = ? AND (at_ms, request_id) <= (SELECT at_ms, request_id FROM refused_requests
    WHERE account_id = ? ORDER BY at_ms DESC, request_id DESC LIMIT 1 OFFSET ${REFUSED_KEPT})`,
);

/** Keeps refused requests in full, each account's newest thousand: a flood is written over itself (docs/rulings.md 205). */
export function* writeRefusedRequests(given: readonly RefusedRequest[]): Work<void> {
  // In an order that all nodes keep, so that two never wait for each other in a circle.
  const ordered = given.toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1));
  yield* rows(
    addRefused,
    ordered.map((each) => valuesOf(REFUSED, each)),
  );
  const accounts = [...new Set(given.map(({ account_id }) => account_id))].toSorted();
  for (const account_id of accounts) yield* rows(dropBeyond, [account_id, account_id]);
}

const SELECT = `SELECT ${columnsOf(REFUSED)} FROM refused_requests`;

/** A refused request by our id, else the newest with that client's id. Another account's is not found. */
export function* findRefused(account_id: string | null, id: string): Work<RefusedRequest | null> {
  for (const column of ["request_id", "client_request_id"]) {
    const where = new Conditions();
    where.and(`${column} = ?`, id);
    // The account is compared as an expression, so that neither database reads the account's index instead of the ids'.
    if (account_id !== null) where.and("(account_id || '') = ?", account_id);
    const asked = `${SELECT}${where.text} ORDER BY ${column}, at_ms DESC LIMIT 1`;
    const found = yield* readFirst(REFUSED, statementOf(asked), where.params);
    if (found !== null) return found;
  }
  return null;
}

/** Newest first, those of one account along its index; those of all accounts along the ids, which begin with the time. */
export function* listRefusedRequests(query: RefusedQuery): Work<RefusedRequest[]> {
  const { account_id, key_id, endpoint, model, from_ms, to_ms, search, limit } = query;
  const where = new Conditions();
  where.and("account_id = ?", account_id);
  where.and("at_ms >= ?", from_ms);
  where.and("at_ms < ?", to_ms);
  where.and("key_id = ?", key_id);
  where.and("endpoint = ?", endpoint);
  where.and("(model = ? OR asked_model = ?)", model, model);
  // No id has a character behind "~".
  const found = search === undefined ? [undefined] : [search, `${search}~`, search, `${search}~`];
  where.and("((request_id >= ? AND request_id < ?) OR (client_request_id >= ? AND client_request_id < ?))", ...found);
  const order = account_id === null ? "request_id DESC" : "at_ms DESC, request_id DESC";
  const asked = `${SELECT}${where.text} ORDER BY ${order} LIMIT ?`;
  return yield* readRows(REFUSED, statementOf(asked), [...where.params, limit]);
}

/** How many go in a step. */
const DROPPED_AT_ONCE = 1000;
const dropOldest = sql(
  `DELETE FROM refused_requests WHERE at_ms < ? AND request_id IN
    (SELECT request_id FROM refused_requests ORDER BY request_id LIMIT ${DROPPED_AT_ONCE}) RETURNING 1 AS gone`,
);

/** Deletes some of the oldest refused requests before a time. Returns how many went. */
export function* dropRefusedRequests(kept_since_ms: number): Work<number> {
  return (yield* rows(dropOldest, [kept_since_ms])).length;
}
