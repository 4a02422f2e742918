import type {
  ContentCut,
  ContentEntry,
  ContentQuery,
  ContentSegment,
  KeptSegment,
  NewContent,
} from "../../core/answer/contents.ts";
import { columnsOf, int, readRows, text, textOrNull } from "../sql/columns.ts";
import { deleteEach, insertEach, lookup, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { KeptBytes, type Sized } from "./kept-bytes.ts";

/** The size of a content's row with its entries in the indices, and of its part of its segment's row. */
const ROW_BYTES = 512;

const KEY = { account_id: "text", request_id: "text" } as const;
const SEGMENT = { account_id: "text", segment_id: "text" } as const;
const ENTRY = {
  account_id: text,
  request_id: text,
  at_ms: int,
  key_id: text,
  model: text,
  endpoint: text,
  status: int,
  tags: textOrNull,
  bytes: int,
  segment_id: text,
} as const;
const COLUMNS = columnsOf(ENTRY);
const deleteEntries = deleteEach("contents", KEY);
const deleteSegments = deleteEach("content_segments", SEGMENT, { returning: "bytes" });
const insertSegments = insertEach(
  "content_segments",
  { ...SEGMENT, at_ms: "bigint", bytes: "bigint", request_ids: "text", content: "bytea" },
  { conflict: "(account_id, segment_id) DO NOTHING RETURNING account_id, segment_id, bytes" },
);
const insertEntries = insertEach("contents", {
  ...KEY,
  ...{ at_ms: "bigint", key_id: "text", model: "text", endpoint: "text", status: "bigint", tags: "text" },
  ...{ user_key: "text", bytes: "bigint", segment_id: "text" },
});

const kept = new KeptBytes("contents_bytes", "content_segments");

export function* putContents(given: readonly ContentSegment[]): Work<void> {
  const made = yield* rows<Sized & { readonly account_id: string; readonly segment_id: string }>(
    insertSegments,
    given.map(({ account_id, segment_id, entries, content }) => [
      // By the oldest of them: what is too old goes a moment early rather than late.
      ...[account_id, segment_id, Math.min(...entries.map(({ at_ms }) => at_ms)), sizeOf(entries)],
      ...[idsText(entries.map(({ request_id }) => request_id)), content],
    ]),
  );
  const fresh = given.filter(({ account_id, segment_id }) =>
    made.some((each) => each.account_id === account_id && each.segment_id === segment_id),
  );
  yield* rows(insertEntries, fresh.flatMap(entryRows));
  yield* kept.count(made, []);
}

function sizeOf(entries: readonly NewContent[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes + ROW_BYTES, 0);
}

function entryRows({ account_id, segment_id, entries }: ContentSegment) {
  return entries.map(({ request_id, at_ms, key_id, model, endpoint, status, tags, user_key, bytes }) => [
    ...[account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user_key],
    ...[bytes + ROW_BYTES, segment_id],
  ]);
}

function idsText(ids: readonly string[]): string {
  return JSON.stringify(ids);
}

function idsOf(text: string): readonly string[] {
  return JSON.parse(text);
}

const selectPlace = sql("SELECT at_ms FROM contents WHERE account_id = ? AND request_id = ?");
const selectPage = sql(
  `SELECT ${COLUMNS} FROM contents
    WHERE account_id = ? AND at_ms >= ? AND at_ms < ?
      AND (at_ms < ? OR (at_ms = ? AND request_id < ?))
      AND (CAST(? AS TEXT) IS NULL OR request_id = ?) AND (CAST(? AS TEXT) IS NULL OR key_id = ?) AND (CAST(? AS TEXT) IS NULL OR model = ?)
      AND (CAST(? AS bigint) IS NULL OR status = ?) AND (CAST(? AS TEXT) IS NULL OR user_key = ?)
    ORDER BY at_ms DESC, request_id DESC LIMIT ?`,
);

export function* listContents(query: ContentQuery): Work<ContentEntry[]> {
  const {
    account_id,
    request_id = null,
    key_id = null,
    model = null,
    status = null,
    user_key = null,
    before_id,
  } = query;
  const { from_ms = 0, to_ms = Number.MAX_SAFE_INTEGER, limit } = query;
  const place = before_id === undefined ? null : yield* row<{ at_ms: unknown }>(selectPlace, [account_id, before_id]);
  if (before_id !== undefined && place === null) return [];
  const before_ms = place === null ? Number.MAX_SAFE_INTEGER : toInt(place.at_ms);
  return yield* readRows(ENTRY, selectPage, [
    ...[account_id, from_ms, to_ms, before_ms, before_ms, before_id ?? ""],
    ...[request_id, request_id, key_id, key_id, model, model, status, status, user_key, user_key, limit],
  ]);
}

const selectRequest = sql(`SELECT ${COLUMNS} FROM contents WHERE account_id = ? AND request_id = ? LIMIT ?`);
const selectOfUser = sql(`SELECT ${COLUMNS} FROM contents WHERE account_id = ? AND user_key = ? LIMIT ?`);

export function* findContents(
  account_id: string,
  which: { readonly request_id: string } | { readonly user_key: string },
  limit: number,
): Work<ContentEntry[]> {
  return "request_id" in which
    ? yield* readRows(ENTRY, selectRequest, [account_id, which.request_id, limit])
    : yield* readRows(ENTRY, selectOfUser, [account_id, which.user_key, limit]);
}

const selectSegments = lookup("SELECT segment_id, version, content FROM content_segments", SEGMENT);

export function* readSegments(account_id: string, segment_ids: readonly string[]): Work<KeptSegment[]> {
  const params = [...new Set(segment_ids)].map((id) => [account_id, id]);
  const found = yield* rows<Omit<KeptSegment, "version"> & { version: unknown }>(selectSegments, params);
  return found.map((each) => ({ ...each, version: toInt(each.version) }));
}

const updateSegment = sql(
  `UPDATE content_segments SET content = ?, request_ids = ?, bytes = bytes - ?, version = version + 1
    WHERE account_id = ? AND segment_id = ? AND version = ? RETURNING bytes`,
);
const deleteSegment = sql(
  "DELETE FROM content_segments WHERE account_id = ? AND segment_id = ? AND version = ? RETURNING request_ids, bytes",
);

export function* cutSegment(account_id: string, cut: ContentCut): Work<boolean> {
  const { segment_id, version, content, left_ids, gone } = cut;
  if (content === null) {
    const ended = yield* row<Sized & { request_ids: string }>(deleteSegment, [account_id, segment_id, version]);
    if (ended === null) return false;
    yield* rows(
      deleteEntries,
      idsOf(ended.request_ids).map((id) => [account_id, id]),
    );
    yield* kept.count([], [ended]);
    return true;
  }
  const freed = gone.reduce((sum, { bytes }) => sum + bytes, 0);
  const place = [account_id, segment_id, version];
  if ((yield* row<Sized>(updateSegment, [content, idsText(left_ids), freed, ...place])) === null) return false;
  yield* rows(
    deleteEntries,
    gone.map(({ request_id }) => [account_id, request_id]),
  );
  yield* kept.count([], [{ bytes: freed }]);
  return true;
}

const selectOldest = sql(
  "SELECT account_id, segment_id, at_ms, bytes FROM content_segments ORDER BY at_ms, account_id, segment_id LIMIT ?",
);
const selectIds = lookup("SELECT account_id, request_ids FROM content_segments", SEGMENT);

export function* trimContents(kept_since_ms: number, most_bytes: number, limit: number): Work<number> {
  const oldest = yield* rows<{ account_id: string; segment_id: string; at_ms: unknown; bytes: unknown }>(selectOldest, [
    limit,
  ]);
  if (oldest.length === 0) return 0;
  let bytes = yield* kept.read();
  const going: string[][] = [];
  for (const { account_id, segment_id, at_ms, bytes: freed } of oldest) {
    if (toInt(at_ms) >= kept_since_ms && bytes <= most_bytes) break;
    bytes -= toInt(freed);
    going.push([account_id, segment_id]);
  }
  if (going.length === 0) return 0;
  const lists = yield* rows<{ account_id: string; request_ids: string }>(selectIds, going);
  const entries = lists.flatMap(({ account_id, request_ids }) => idsOf(request_ids).map((id) => [account_id, id]));
  yield* rows(deleteEntries, entries);
  const gone = yield* rows<Sized>(deleteSegments, going);
  yield* kept.count([], gone);
  return gone.length;
}
