import type { ContentEntry, ContentQuery, ContentRow } from "../../core/answer/contents.ts";
import { deleteEach, insertEach, lookup, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** The size of a row without its content, with its entries in the indices. */
const ROW_BYTES = 768;

const KEY = { account_id: "text", request_id: "text" } as const;
const deleteRows = deleteEach("contents", KEY);
const insertRows = insertEach(
  "contents",
  {
    ...KEY,
    ...{ at_ms: "bigint", key_id: "text", model: "text", endpoint: "text", status: "bigint", tags: "text" },
    ...{ user_key: "text", bytes: "bigint", content: "bytea" },
  },
  { conflict: "(account_id, request_id) DO NOTHING" },
);

export function* putContents(given: readonly ContentRow[]): Work<void> {
  yield* rows(
    insertRows,
    given.map(({ account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user_key, content }) => [
      ...[account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user_key],
      ...[content.byteLength + ROW_BYTES, content],
    ]),
  );
}

const selectPlace = sql("SELECT at_ms FROM contents WHERE account_id = ? AND request_id = ?");
const selectPage = sql(
  `SELECT account_id, request_id, at_ms, key_id, model, endpoint, status, tags, bytes FROM contents
    WHERE account_id = ? AND at_ms >= ? AND at_ms < ?
      AND (at_ms < ? OR (at_ms = ? AND request_id < ?))
      AND (CAST(? AS TEXT) IS NULL OR request_id = ?) AND (CAST(? AS TEXT) IS NULL OR key_id = ?) AND (CAST(? AS TEXT) IS NULL OR model = ?)
      AND (CAST(? AS bigint) IS NULL OR status = ?) AND (CAST(? AS TEXT) IS NULL OR user_key = ?)
    ORDER BY at_ms DESC, request_id DESC LIMIT ?`,
);

type EntryRow = Omit<ContentEntry, "at_ms" | "status" | "bytes"> & Record<"at_ms" | "status" | "bytes", unknown>;

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
  const found = yield* rows<EntryRow>(selectPage, [
    ...[account_id, from_ms, to_ms, before_ms, before_ms, before_id ?? ""],
    ...[request_id, request_id, key_id, key_id, model, model, status, status, user_key, user_key, limit],
  ]);
  return found.map((each) => ({
    ...each,
    ...{ at_ms: toInt(each.at_ms), status: toInt(each.status), bytes: toInt(each.bytes) },
  }));
}

const selectContents = lookup("SELECT request_id, content FROM contents", KEY);

export function* readContents(
  account_id: string,
  request_ids: readonly string[],
): Work<{ request_id: string; content: Uint8Array }[]> {
  const params = [...new Set(request_ids)].map((id) => [account_id, id]);
  return [...(yield* rows<{ request_id: string; content: Uint8Array }>(selectContents, params))];
}

const selectOfUser = sql("SELECT request_id FROM contents WHERE account_id = ? AND user_key = ? LIMIT ?");
const deleteOne = sql("DELETE FROM contents WHERE account_id = ? AND request_id = ? RETURNING request_id");

export function* deleteContents(
  account_id: string,
  which: { readonly request_id: string } | { readonly user_key: string },
  limit: number,
): Work<number> {
  if ("request_id" in which) return (yield* rows(deleteOne, [account_id, which.request_id])).length;
  const found = yield* rows<{ request_id: string }>(selectOfUser, [account_id, which.user_key, limit]);
  const going = found.map(({ request_id }) => [account_id, request_id]);
  yield* rows(deleteRows, going);
  return going.length;
}

const selectSum = sql("SELECT coalesce(sum(bytes), 0) AS bytes FROM contents");
const selectOldest = sql(
  "SELECT account_id, request_id, at_ms, bytes FROM contents ORDER BY at_ms, account_id, request_id LIMIT ?",
);

export function* trimContents(kept_since_ms: number, most_bytes: number, limit: number): Work<number> {
  const oldest = yield* rows<{ account_id: string; request_id: string; at_ms: unknown; bytes: unknown }>(selectOldest, [
    limit,
  ]);
  if (oldest.length === 0) return 0;
  let bytes = toInt((yield* row<{ bytes: unknown }>(selectSum))?.bytes ?? 0);
  const going: string[][] = [];
  for (const { account_id, request_id, at_ms, bytes: freed } of oldest) {
    if (toInt(at_ms) >= kept_since_ms && bytes <= most_bytes) break;
    bytes -= toInt(freed);
    going.push([account_id, request_id]);
  }
  yield* rows(deleteRows, going);
  return going.length;
}
