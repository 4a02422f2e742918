import type {
  CacheCount,
  CachedRow,
  CacheSums,
  EmptiedCache,
  StoredContent,
} from "../../core/answer/cached-answers.ts";
import { ZERO } from "../../core/money/money.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, int, readFirst } from "../sql/columns.ts";
import { deleteEach, insertEach, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { bytesOf, KeptBytes, type Sized } from "./kept-bytes.ts";

/** The size of a row without its content, with its entries in the indices. */
const ROW_BYTES = 512;

const KEY = { account_id: "text", answer_key: "text" } as const;
const kept = new KeptBytes("cached_bytes", "cached_answers");
const deleteAnswers = deleteEach("cached_answers", KEY, { returning: "bytes" });
const insertAnswers = insertEach(
  "cached_answers",
  { ...KEY, stored_ms: "bigint", expires_ms: "bigint", bytes: "bigint", content: "bytea" },
  // Another gateway may have written the answer to the same request meanwhile.
  { conflict: "(account_id, answer_key) DO NOTHING RETURNING bytes" },
);
const selectAnswer = sql(
  `SELECT content, stored_ms, expires_ms FROM cached_answers
    WHERE account_id = ? AND answer_key = ? AND expires_ms > ? AND stored_ms >= ?`,
);

export function* findCached(account_id: string, answer_key: string, most_age_ms: number): Work<StoredContent | null> {
  const now = yield* now_ms();
  const params = [account_id, answer_key, now, now - most_age_ms];
  const found = yield* row<{ content: Uint8Array; stored_ms: unknown; expires_ms: unknown }>(selectAnswer, params);
  if (found === null) return null;
  const age_ms = Math.max(0, now - toInt(found.stored_ms));
  return { content: found.content, age_ms, left_ms: toInt(found.expires_ms) - now };
}

export function* putCached(given: readonly CachedRow[]): Work<void> {
  const now = yield* now_ms();
  // The last of several answers with one key counts.
  const answers = [...new Map(given.map((each) => [`${each.account_id} ${each.answer_key}`, each])).values()];
  const gone = yield* rows<Sized>(
    deleteAnswers,
    answers.map(({ account_id, answer_key }) => [account_id, answer_key]),
  );
  const made = yield* rows<Sized>(
    insertAnswers,
    answers.map(({ account_id, answer_key, age_ms, keep_ms, content }) => [
      ...[account_id, answer_key, now - age_ms, now - age_ms + keep_ms, content.byteLength + ROW_BYTES, content],
    ]),
  );
  yield* kept.count(made, gone);
}

const deleteExpired = sql(
  `DELETE FROM cached_answers WHERE (account_id, answer_key) IN
      (SELECT account_id, answer_key FROM cached_answers WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)
    AND expires_ms <= ? RETURNING bytes`,
);
const selectOldest = sql(
  "SELECT account_id, answer_key, bytes FROM cached_answers ORDER BY stored_ms, account_id, answer_key LIMIT ?",
);

export function* trimCached(most_bytes: number, most: number): Work<number> {
  const now = yield* now_ms();
  const expired = yield* rows<Sized>(deleteExpired, [now, most, now]);
  let bytes = (yield* kept.read()) - bytesOf(expired);
  const going: string[][] = [];
  if (bytes > most_bytes && expired.length < most) {
    const oldest = yield* rows<{ account_id: string; answer_key: string; bytes: unknown }>(selectOldest, [
      most - expired.length,
    ]);
    for (const { account_id, answer_key, bytes: freed } of oldest) {
      if (bytes <= most_bytes) break;
      bytes -= toInt(freed);
      going.push([account_id, answer_key]);
    }
  }
  const gone = going.length === 0 ? [] : yield* rows<Sized>(deleteAnswers, going);
  yield* kept.count([], [...expired, ...gone]);
  return expired.length + gone.length;
}

const selectBytes = sql("SELECT coalesce(sum(bytes), 0) AS bytes FROM cached_answers WHERE account_id = ?");

/** The bytes of all answers are a kept total; those of an account are summed up over its rows. */
export function* cachedBytes(account_id: string | null): Work<number> {
  if (account_id === null) return yield* kept.read();
  return toInt((yield* row<Sized>(selectBytes, [account_id]))?.bytes ?? 0);
}

const selectOfAccount = sql(
  "SELECT account_id, answer_key FROM cached_answers WHERE account_id = ? AND stored_ms <= ? LIMIT ?",
);
const selectUntil = sql(
  `SELECT account_id, answer_key FROM cached_answers WHERE stored_ms <= ?
    ORDER BY stored_ms, account_id, answer_key LIMIT ?`,
);

export function* emptyCached(account_id: string | null, given_ms: number | null, most: number): Work<EmptiedCache> {
  const until_ms = given_ms ?? (yield* now_ms());
  const found = yield* rows<{ account_id: string; answer_key: string }>(
    account_id === null ? selectUntil : selectOfAccount,
    account_id === null ? [until_ms, most] : [account_id, until_ms, most],
  );
  const going = found.map((each) => [each.account_id, each.answer_key]);
  const gone = going.length === 0 ? [] : yield* rows<Sized>(deleteAnswers, going);
  yield* kept.count([], gone);
  return { removed: gone.length, until_ms };
}

const addCounts = insertEach(
  "cache_hours",
  {
    ...{ account_id: "text", hour_ms: "bigint", hits: "bigint" },
    ...{ misses: "bigint", saved_micro: "bigint" },
  },
  {
    conflict: `(account_id, hour_ms) DO UPDATE SET hits = cache_hours.hits + excluded.hits,
      misses = cache_hours.misses + excluded.misses, saved_micro = cache_hours.saved_micro + excluded.saved_micro`,
  },
);

export function* countCached(counts: readonly CacheCount[]): Work<void> {
  yield* rows(
    addCounts,
    counts.map(({ account_id, hour_ms, hits, misses, saved_micro }) => [
      ...[account_id, hour_ms, hits, misses, Number(saved_micro)],
    ]),
  );
}

const SUMS = { hits: int, misses: int, saved_micro: amount } as const;
const SELECT_SUMS = `SELECT ${Object.keys(SUMS)
  .map((name) => `coalesce(sum(${name}), 0) AS ${name}`)
  .join(", ")} FROM cache_hours WHERE hour_ms >= ? AND hour_ms < ?`;
const selectSums = sql(SELECT_SUMS);
const selectAccountSums = sql(`${SELECT_SUMS} AND account_id = ?`);

export function* cacheSums(account_id: string | null, from_ms: number, to_ms: number): Work<CacheSums> {
  const statement = account_id === null ? selectSums : selectAccountSums;
  const params = account_id === null ? [from_ms, to_ms] : [from_ms, to_ms, account_id];
  return (yield* readFirst(SUMS, statement, params)) ?? { hits: 0, misses: 0, saved_micro: ZERO };
}
