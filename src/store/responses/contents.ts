import type { ContentEntry, ContentQuery, ContentRow } from "../../core/answer/contents.ts";
import { deleteEach, insertEach, lookup, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { KeptBytes, type Sized } from "./kept-bytes.ts";

/** The size of a row without its content, with its entries in the indices. */
const ROW_BYTES = 768;

const KEY = { account_id: "text", request_id: "text" } as const;
const deleteRows = deleteEach("contents", KEY, { returning: "bytes" });
const insertRows = insertEach(
  "contents",
  {
    ...KEY,
    ...{ at_ms: "bigint", key_id: "text", model: "text", endpoint: "text", status: "bigint", tags: "text" },
    ...{ user_key: "text", bytes: "bigint", content: "bytea" },
  },
  { conflict: "(account_id, request_id) DO NOTHING RETURNING bytes" },
);

const kept = new KeptBytes("contents_bytes", "contents");

function* deleteThese(going: readonly (readonly string[])[]): Work<number> {
  const gone = yield* rows<Sized>(deleteRows, going);
  yield* kept.count([], gone);
  return gone.length;
}

export function* putContents(given: readonly ContentRow[]): Work<void> {
  const made = yield* rows<Sized>(
    insertRows,
    given.map(({ account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user_key, content }) => [
      ...[account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user_key],
      ...[content.byteLength + ROW_BYTES, content],
    ]),
  );
  yield* kept.count(made, []);
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

export function* deleteContents(
  account_id: string,
  which: { readonly request_id: string } | { readonly user_key: string },
  limit: number,
): Work<number> {
  if ("request_id" in which) return yield* deleteThese([[account_id, which.request_id]]);
  const found = yield* rows<{ request_id: string }>(selectOfUser, [account_id, which.user_key, limit]);
  return yield* deleteThese(found.map(({ request_id }) => [account_id, request_id]));
}

const selectOldest = sql(
  "SELECT account_id, request_id, at_ms, bytes FROM contents ORDER BY at_ms, account_id, request_id LIMIT ?",
);

export function* trimContents(kept_since_ms: number, most_bytes: number, limit: number): Work<number> {
  const oldest = yield* rows<{ account_id: string; request_id: string; at_ms: unknown; bytes: unknown }>(selectOldest, [
    limit,
  ]);
  if (oldest.length === 0) return 0;
  let bytes = yield* kept.read();
  const going: string[][] = [];
  for (const { account_id, request_id, at_ms, bytes: freed } of oldest) {
    if (toInt(at_ms) >= kept_since_ms && bytes <= most_bytes) break;
    bytes -= toInt(freed);
    going.push([account_id, request_id]);
  }
  return yield* deleteThese(going);
}
