import type { TakenTry, TryRule, UserStore } from "../../core/people/users.ts";
import { decideTry } from "../../people/sign-in/slow-tries.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/**
 * Rows that live briefly: challenges that were issued, and counts of tries. Each write first deletes the expired rows.
 */

const purgeChallenges = sql("DELETE FROM challenges WHERE expires_ms <= ?");
const insertChallenge = sql("INSERT INTO challenges (id, kind, data, expires_ms) VALUES (?, ?, ?, ?)");
const takeOne = sql("DELETE FROM challenges WHERE id = ? AND kind = ? AND expires_ms > ? RETURNING data");

export function* putChallenge({ id, kind, data, ttl_ms }: Parameters<UserStore["putChallenge"]>[0]): Work<void> {
  const now = yield* now_ms();
  yield* rows(purgeChallenges, [now]);
  yield* rows(insertChallenge, [id, kind, data, now + ttl_ms]);
}

export function* takeChallenge(id: string, kind: string): Work<string | null> {
  return (yield* row<{ data: string }>(takeOne, [id, kind, yield* now_ms()]))?.data ?? null;
}

const purgeTries = sql("DELETE FROM tries WHERE resets_ms <= ?");
const countOne = sql(
  `INSERT INTO tries (bucket, count, resets_ms) VALUES (?, 1, ?)
    ON CONFLICT (bucket) DO UPDATE SET count = tries.count + 1 RETURNING count, resets_ms`,
);
const deleteTries = sql("DELETE FROM tries WHERE bucket = ?");

/** Counts a try. A single statement does it, so that tries at the same time are all counted. */
export function* countTry(bucket: string, window_ms: number): Work<{ count: number; resets_in_ms: number }> {
  const now = yield* now_ms();
  yield* rows(purgeTries, [now]);
  const counted = yield* row<{ count: unknown; resets_ms: unknown }>(countOne, [bucket, now + window_ms]);
  // Another connection may have begun the window a moment after this connection read the clock.
  return { count: toInt(counted?.count), resets_in_ms: Math.min(window_ms, toInt(counted?.resets_ms) - now) };
}

const selectCount = sql("SELECT count FROM tries WHERE bucket = ? AND resets_ms > ?");

export function* triesOf(bucket: string): Work<number> {
  const found = yield* row<{ count: unknown }>(selectCount, [bucket, yield* now_ms()]);
  return found === null ? 0 : toInt(found.count);
}

const selectReset = sql("SELECT resets_ms FROM tries WHERE bucket = ? AND resets_ms > ?");
const uncountOne = sql("UPDATE tries SET count = count - 1 WHERE bucket = ?");
const lengthen = sql("UPDATE tries SET resets_ms = ? WHERE bucket = ?");
const beginWait = sql("INSERT INTO tries (bucket, count, resets_ms) VALUES (?, 0, ?)");

/**
 * Takes a try, or says how long to wait (people/sign-in/slow-tries.ts). A wait is a row of its own that ends when the wait does. The count is raised first:
 * that locks its row until the end of the transaction, so that of tries at the same time each sees the wait that the one
 * before it began.
 */
export function* takeTry(bucket: string, rule: TryRule): Work<TakenTry> {
  const now = yield* now_ms();
  yield* rows(purgeTries, [now]);
  const counted = yield* row<{ count: unknown }>(countOne, [bucket, now + rule.window_ms]);
  const count = toInt(counted?.count);
  const wait = waitOf(bucket);
  const running = yield* row<{ resets_ms: unknown }>(selectReset, [wait, now]);
  const running_ms = running === null ? null : toInt(running.resets_ms) - now;
  const { takes, wait_ms } = decideTry({ count, running_ms }, rule);
  if (!takes) {
    yield* rows(uncountOne, [bucket]);
    return { taken: false, count: count - 1, wait_ms };
  }
  yield* rows(lengthen, [now + rule.window_ms, bucket]);
  if (wait_ms > 0) yield* rows(beginWait, [wait, now + wait_ms]);
  return { taken: true, count, wait_ms: 0 };
}

function waitOf(bucket: string): string {
  return `wait:${bucket}`;
}

export function* forgetTries(bucket: string): Work<void> {
  yield* rows(deleteTries, [bucket]);
  yield* rows(deleteTries, [waitOf(bucket)]);
}
