import { StoreConflict } from "../../core/ports.ts";
import type { KeyRecord } from "../../core/principal.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { findKey, insertKeyState } from "./keys.ts";

/** The name of a playground key in lists. */
const NAME = "Playground";

export interface PlaygroundKey {
  readonly id: string;
  readonly account_id: string;
  readonly user_id: string;
  readonly hash: string;
  readonly hint: string;
  readonly expires_ms: number;
}

const lockAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const selectKey = sql(
  "SELECT id, status FROM keys WHERE account_id = ? AND playground_user = ? AND deleted_ms IS NULL",
);
const renewKey = sql("UPDATE keys SET hash = ?, hint = ?, expires_ms = ?, version = version + 1 WHERE id = ?");
const deleteKey = sql("UPDATE keys SET deleted_ms = ?, hash = NULL, version = version + 1 WHERE id = ?");
const insertKey = sql(
  `INSERT INTO keys (id, account_id, hash, hint, status, created_ms, version, name, aliases, prefix_aliases, expires_ms,
      playground_user)
    VALUES (?, ?, ?, ?, 'active', ?, 1, '${NAME}', '[]', '[]', ?, ?)`,
);

/** Ends the key of a user who leaves the account. */
export function* endPlaygroundKey(account_id: string, user_id: string): Work<void> {
  const found = yield* row<{ id: string }>(selectKey, [account_id, user_id]);
  if (found !== null) yield* rows(deleteKey, [yield* now_ms(), found.id]);
}

/**
 * One key per user and account: a user's key gets a new secret, so that lists and usage do not fill with keys of a day.
 * One that was disabled or revoked stays so; it is deleted, and a new one takes its place.
 */
export function* renewPlaygroundKey(key: PlaygroundKey): Work<KeyRecord> {
  const { account_id, user_id, hash, hint, expires_ms } = key;
  const account = yield* row(lockAccount, [account_id]);
  if (account === null) throw new StoreConflict(`There is no account ${account_id}.`);
  const found = yield* row<{ id: string; status: KeyRecord["status"] }>(selectKey, [account_id, user_id]);
  const is_kept = found?.status === "active";
  const now = yield* now_ms();
  if (found && is_kept) yield* rows(renewKey, [hash, hint, expires_ms, found.id]);
  if (found && !is_kept) yield* rows(deleteKey, [now, found.id]);
  if (!is_kept) {
    yield* rows(insertKey, [key.id, account_id, hash, hint, now, expires_ms, user_id]);
    yield* rows(insertKeyState, [key.id]);
  }
  const record = yield* findKey(found && is_kept ? found.id : key.id);
  if (record === null) throw new Error("the playground key was not written");
  return record;
}
