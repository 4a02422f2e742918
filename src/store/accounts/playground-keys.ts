import type { KeyRecord } from "../../core/people/principal.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { decidePlaygroundKey, PLAYGROUND_KEY_NAME } from "../../people/keys/playground-key.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { findKey, insertKeyState } from "./keys.ts";
import { requireAccount } from "./locks.ts";

const selectKey = sql(
  "SELECT id, status FROM keys WHERE account_id = ? AND playground_user = ? AND deleted_ms IS NULL",
);
const renewKey = sql("UPDATE keys SET hash = ?, hint = ?, expires_ms = ?, version = version + 1 WHERE id = ?");
const deleteKey = sql("UPDATE keys SET deleted_ms = ?, hash = NULL, version = version + 1 WHERE id = ?");
const insertKey = sql(
  `INSERT INTO keys (id, account_id, hash, hint, status, created_ms, version, name, aliases, prefix_aliases, expires_ms,
      playground_user)
    VALUES (?, ?, ?, ?, 'active', ?, 1, '${PLAYGROUND_KEY_NAME}', '[]', '[]', ?, ?)`,
);

export function* endPlaygroundKey(account_id: string, user_id: string): Work<void> {
  const found = yield* row<{ id: string }>(selectKey, [account_id, user_id]);
  if (found !== null) yield* rows(deleteKey, [yield* now_ms(), found.id]);
}

/** One key per user and account (people/keys/playground-key.ts) (docs/rulings.md 105). */
export function* renewPlaygroundKey(key: Parameters<AccountStore["renewPlaygroundKey"]>[0]): Work<KeyRecord> {
  const { account_id, user_id, hash, hint, expires_ms } = key;
  yield* requireAccount(account_id);
  const found = yield* row<{ id: string; status: KeyRecord["status"] }>(selectKey, [account_id, user_id]);
  const does = decidePlaygroundKey(found);
  const now = yield* now_ms();
  const id = found !== null && does === "renew" ? found.id : key.id;
  if (found !== null && does === "replace") yield* rows(deleteKey, [now, found.id]);
  if (does === "renew") yield* rows(renewKey, [hash, hint, expires_ms, id]);
  else {
    yield* rows(insertKey, [id, account_id, hash, hint, now, expires_ms, user_id]);
    yield* rows(insertKeyState, [id]);
  }
  const record = yield* findKey(id);
  if (record === null) throw new Error("the playground key was not written");
  return record;
}
