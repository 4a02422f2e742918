import { answerDigest } from "../../core/answer/answer-digest.ts";
import { requestIdsFrom } from "../../core/ids.ts";
import { CLIENT_LEFT, type RequestOutcome, type RequestRecord } from "../../core/ledger/ledger.ts";
import type { RequestPage, RequestQuery } from "../../core/store/ports.ts";
import { isText } from "../batch/row-texts.ts";
import { digestOf } from "../batch/shared-texts.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { Conditions, statementOf } from "./conditions.ts";
import { REQUEST_COLUMNS, type RequestRow, requestRecords } from "./request-rows.ts";

const SELECT = `SELECT ${REQUEST_COLUMNS} FROM requests`;
const selectById = sql(`${SELECT} WHERE id = ?`);
const selectByClientId = sql(`${SELECT} WHERE client_request_id = ? ORDER BY seq DESC LIMIT 1`);
/** The account is compared as an expression, so that neither database reads the account's index instead of the ids'. */
const selectOfAccountByClientId = sql(
  `${SELECT} WHERE client_request_id = ? AND (account_id || '') = ? ORDER BY seq DESC LIMIT 1`,
);

/** How many requests a page examines for a filter without an index (docs/rulings.md 107), and a search for an answer's id (230). */
export const SCANNED_AT_MOST = 50_000;

/**
 * An index of these digests would cost each charge a page of its own, as they lie in no order: what is asked for is nearly always among the newest,
 * and an inner list with a limit is read in its order until one is found.
 */
const byAnswer = (of_account: string, place: string): string =>
  `${SELECT} WHERE id = (SELECT id FROM (
      SELECT id, answer_digest FROM requests ${of_account} ORDER BY ${place} LIMIT ${SCANNED_AT_MOST}
    ) AS newest WHERE answer_digest = ? LIMIT 1)`;
const selectByAnswer = sql(byAnswer("", "id DESC"));
const selectOfAccountByAnswer = sql(byAnswer("WHERE account_id = ?", "created_ms DESC, seq DESC"));

/**
 * Finds a request by our id, else the newest with that client's id (docs/rulings.md 47), else the newest whose answer had that id among the newest 50,000 (230).
 * Another account's request is not found.
 */
export function* findRequest(account_id: string | null, request_id: string): Work<RequestRecord | null> {
  const own = yield* row<RequestRow>(selectById, [request_id]);
  if (own !== null && (account_id === null || own.account_id === account_id)) return yield* recordOf(own);
  const named = yield* account_id === null
    ? row<RequestRow>(selectByClientId, [request_id])
    : row<RequestRow>(selectOfAccountByClientId, [request_id, account_id]);
  if (named !== null) return yield* recordOf(named);
  const digest = answerDigest(request_id);
  const answered = yield* account_id === null
    ? row<RequestRow>(selectByAnswer, [digest])
    : row<RequestRow>(selectOfAccountByAnswer, [account_id, digest]);
  return answered && (yield* recordOf(answered));
}

function* recordOf(found: RequestRow): Work<RequestRecord | null> {
  const [record] = yield* requestRecords([found]);
  return record ?? null;
}

/** How many requests a search by id considers. */
const FOUND_AT_MOST = 500;

/**
 * Lists requests, newest first: those of one account by time along its index, those of all accounts by admission along the table. The work
 * of every filter is bounded: running requests and those found by id have indices, and for any other filter a page examines a limited number
 * of requests.
 */
export function* listRequests(query: RequestQuery): Work<RequestPage> {
  if (query.search !== undefined) return yield* listFrom(query, matching(query, query.search));
  if (query.status === "held" || query.outcome === "running") return yield* listFrom(query, RUNNING);
  return isFiltered(query) ? yield* scan(query) : yield* listFrom(query, { with: "", params: [], from: "requests" });
}

interface SearchSource {
  /** A common table expression that the database evaluates as it is, without reading anything else. */
  readonly with: string;
  readonly params: readonly string[];
  readonly from: string;
}

/** Running requests, which are few and have an index. */
const RUNNING: SearchSource = {
  with: "WITH running AS MATERIALIZED (SELECT * FROM requests WHERE status = 'held') ",
  params: [],
  from: "running",
};

/** Requests whose id, ours or the client's, begins with a text, newest first. */
function matching({ account_id }: RequestQuery, search: string): SearchSource {
  // The expression keeps both databases from walking the account's index instead of the ids'.
  const own = account_id === null ? "" : "AND (account_id || '') = ? ";
  const ids = (column: string): string =>
    `SELECT * FROM (SELECT * FROM requests WHERE ${column} >= ? AND ${column} < ? ${own}
      ORDER BY ${column} DESC LIMIT ${FOUND_AT_MOST})`;
  // No id has a character behind "~".
  const params = [search, `${search}~`, ...(account_id === null ? [] : [account_id])];
  return {
    with: `WITH found AS MATERIALIZED (${ids("id")} AS ours UNION ${ids("client_request_id")} AS theirs) `,
    params: [...params, ...params],
    from: "found",
  };
}

function isFiltered(query: RequestQuery): boolean {
  const { account_id, key_id, project_id, tag, model, status, outcome, endpoint, from_ms, to_ms } = query;
  const by_time = account_id === null && (from_ms ?? to_ms) !== undefined;
  return by_time || [key_id, project_id, tag, model, status, outcome, endpoint].some((filter) => filter !== undefined);
}

function* listFrom(query: RequestQuery, source: SearchSource): Work<RequestPage> {
  const { place, where } = placeOf(query);
  filter(where, query);
  const text = `${source.with}SELECT ${REQUEST_COLUMNS} FROM ${source.from}${where.text} ORDER BY ${place} LIMIT ?`;
  const params = [...source.params, ...where.params, query.limit + 1];
  const found = yield* requestRecords(yield* rows<RequestRow>(statementOf(text), params));
  return pageOf(found, query.limit);
}

/** A page of the matching requests among the newest few thousand, and the place where the next page begins. */
function* scan(query: RequestQuery): Work<RequestPage> {
  const { place, where: among } = placeOf(query);
  // Failed requests have an index of their own.
  if (query.outcome === "failed") among.always("error IS NOT NULL");
  // Requests that carried tags have an index too.
  if (query.tag !== undefined && query.tag.value !== "") among.always("tags IS NOT NULL");
  if (query.account_id === null) yield* narrow(among, query);
  const fitting = new Conditions();
  filter(fitting, query);
  const newest = `SELECT seq, id, created_ms, key_id, project_id, tags, model_no, status, error, endpoint_no FROM requests${among.text} ORDER BY ${place}`;
  const text = `SELECT ${REQUEST_COLUMNS} FROM requests WHERE seq IN (
      SELECT seq FROM (${newest} LIMIT ${SCANNED_AT_MOST}) AS newest${fitting.text} ORDER BY ${place} LIMIT ?)
    ORDER BY ${place}`;
  const params = [...among.params, ...fitting.params, query.limit + 1];
  const page = pageOf(yield* requestRecords(yield* rows<RequestRow>(statementOf(text), params)), query.limit);
  if (page.next_before !== null) return page;
  const last = `SELECT id, created_ms FROM requests${among.text} ORDER BY ${place} LIMIT 1 OFFSET ${SCANNED_AT_MOST - 1}`;
  const end = yield* row<{ id: string; created_ms: unknown }>(statementOf(last), among.params);
  return end === null ? page : { ...page, next_before: end.id, searched_back_to_ms: toInt(end.created_ms) };
}

/** Adds the time as conditions on ids, by which requests of all accounts are listed. */
function* narrow(among: Conditions, query: RequestQuery): Work<void> {
  if ((query.from_ms ?? query.to_ms) === undefined) return;
  const { from_id, to_id } = yield* idsOfTime(query);
  among.and("id >= ?", from_id);
  among.and("id < ?", to_id);
}

/** The largest difference between the time in a request's id and its admission: clocks differ, and a body takes time to arrive. */
const APART_MS = 3_600_000;
/** How many rows beyond each end are checked for being as old as their ids say. */
const ASKED = 100;
/** Ids that sort after this one contain no time: one made in the year 2081 would be the first. */
const TIMELESS = "req_1";

const selectTimeless = sql(`SELECT id FROM requests WHERE id >= '${TIMELESS}' ORDER BY id LIMIT 1`);
const selectAfter = sql(
  `SELECT min(created_ms) AS time_ms FROM (SELECT created_ms FROM requests WHERE id >= ? ORDER BY id LIMIT ${ASKED}) AS after`,
);
const selectBefore = sql(
  `SELECT max(created_ms) AS time_ms FROM (SELECT created_ms FROM requests WHERE id < ? ORDER BY id DESC LIMIT ${ASKED}) AS before`,
);

/** Bounds of the ids of all requests of a time; an end is undefined where nothing is known about it. */
interface IdSpan {
  readonly from_id?: string;
  readonly to_id?: string;
}

/**
 * The range of ids in which the requests of a time lie, so that a list of an old day need not read everything newer. Ids begin with the time
 * at which they were made. The range is used only where the rows beyond each end confirm it, which they do not after a wrong clock or for
 * ids without a time.
 */
function* idsOfTime({ from_ms, to_ms }: Pick<RequestQuery, "from_ms" | "to_ms">): Work<IdSpan> {
  if ((yield* row(selectTimeless)) !== null) return {};
  let span: IdSpan = {};
  if (to_ms !== undefined) {
    const to_id = requestIdsFrom(to_ms + APART_MS);
    if ((yield* timeOf(selectAfter, to_id, to_ms)) >= to_ms) span = { to_id };
  }
  if (from_ms !== undefined) {
    const from_id = requestIdsFrom(from_ms - APART_MS);
    if ((yield* timeOf(selectBefore, from_id, from_ms - 1)) < from_ms) span = { ...span, from_id };
  }
  return span;
}

/** The time of the rows beyond an end, or `otherwise_ms` where there are none. */
function* timeOf(statement: typeof selectAfter, id: string, otherwise_ms: number): Work<number> {
  const found = yield* row<{ time_ms: unknown }>(statement, [id]);
  return toIntOrNull(found?.time_ms) ?? otherwise_ms;
}

function pageOf(found: readonly RequestRecord[], limit: number): RequestPage {
  const requests = found.slice(0, limit);
  const last = found.length > limit ? requests.at(-1) : undefined;
  return { requests, next_before: last?.id ?? null, searched_back_to_ms: last?.created_ms ?? null };
}

/**
 * The index of a list and the place where it begins. Ids begin with the time; rows are numbered as they are written
 * (docs/design/storage.md).
 */
function placeOf({ account_id, from_ms, to_ms, before_id, before_ms }: RequestQuery): {
  place: string;
  where: Conditions;
} {
  const columns = account_id === null ? ["id"] : ["created_ms", "seq"];
  const where = new Conditions();
  where.and("account_id = ?", account_id);
  if (account_id === null && before_ms !== undefined) where.and("id < ?", before_id);
  else where.and(`(${columns.join(", ")}) < (SELECT ${columns.join(", ")} FROM requests WHERE id = ?)`, before_id);
  if (account_id !== null) {
    where.and("created_ms >= ?", from_ms);
    where.and("created_ms < ?", to_ms);
  }
  return { place: columns.map((column) => `${column} DESC`).join(", "), where };
}

/** The SQL conditions for each outcome of a request (request-rows.ts). A late end may differ. */
const OUTCOMES: Readonly<Record<RequestOutcome, string>> = {
  running: "status = 'held'",
  answered: "error IS NULL AND status <> 'held' AND status <> 'voided'",
  failed: `error IS NOT NULL AND error <> '${CLIENT_LEFT}'`,
  left: `(error = '${CLIENT_LEFT}' OR (error IS NULL AND status = 'voided'))`,
};

/**
 * Filters by a tag in the JSON text of the tags: quotation marks inside a JSON string have a backslash, so no value can look like another
 * tag.
 */
function filterTag(where: Conditions, tag: RequestQuery["tag"]): void {
  if (tag === undefined) return;
  const { name, value } = tag;
  if (value === "") where.and("(tags IS NULL OR replace(tags, ?, '') = tags)", `${JSON.stringify(name)}:"`);
  else where.and("replace(tags, ?, '') <> tags", `${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

function filter(where: Conditions, query: RequestQuery): void {
  where.and("key_id = ?", query.key_id);
  if (query.project_id === "") where.always("project_id IS NULL");
  else where.and("project_id = ?", query.project_id);
  filterTag(where, query.tag);
  where.and(isText("model_no"), query.model && digestOf(query.model));
  where.and("status = ?", query.status);
  if (query.outcome !== undefined) where.always(OUTCOMES[query.outcome]);
  where.and(isText("endpoint_no"), query.endpoint && digestOf(query.endpoint));
  if (query.account_id !== null) return;
  where.and("created_ms >= ?", query.from_ms);
  where.and("created_ms < ?", query.to_ms);
}

const selectRecord = sql("SELECT request_id FROM idempotency WHERE account_id = ? AND key = ? AND expires_ms > ?");

/** Whether a request of the account with this idempotency key runs, or was answered and is remembered. */
export function* hasIdempotencyKey(account_id: string, key: string): Work<boolean> {
  return (yield* row<{ request_id: string }>(selectRecord, [account_id, key, yield* now_ms()])) !== null;
}
