import type { AuditNote } from "../../core/people/audit.ts";
import type { NewPasskey, PasskeyRecord } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { refuseLastWay } from "../../people/users/last-way-to-sign-in.ts";
import { allowed } from "../accounts/allowed.ts";
import { lockUser } from "../accounts/locks.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, flag, int, intOrNull, json, readFirst, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";
import { requireUser } from "./user-record.ts";

const PASSKEY = {
  id: text,
  user_id: text,
  name: text,
  credential_id: text,
  public_key: text,
  counter: int,
  transports: json<string[]>(),
  backed_up: flag,
  created_ms: int,
  last_used_ms: intOrNull,
} as const;
const COLUMNS = columnsOf(PASSKEY);

const insertPasskey = sql(
  `INSERT INTO passkeys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (credential_id) DO NOTHING
    RETURNING ${COLUMNS}`,
);

export function* addPasskey(passkey: NewPasskey, note: AuditNote): Work<PasskeyRecord> {
  const { id, user_id, name, credential_id, public_key, counter, transports, backed_up } = passkey;
  const params = [id, user_id, name, credential_id, public_key, counter, JSON.stringify(transports)];
  const made = yield* readFirst(PASSKEY, insertPasskey, [...params, backed_up ? 1 : 0, yield* now_ms()]);
  if (made === null) throw new StoreConflict("This passkey is known already.");
  const { account_id } = yield* requireUser(user_id);
  const object = { kind: "passkey", id };
  yield* writeAuditEntry({ ...note, object, account_id, before: null, after: { name, user_id, backed_up } });
  return made;
}

const selectOfUser = sql(`SELECT ${COLUMNS} FROM passkeys WHERE user_id = ? ORDER BY created_ms, id`);

export function* listPasskeys(user_id: string): Work<PasskeyRecord[]> {
  return yield* readRows(PASSKEY, selectOfUser, [user_id]);
}

const selectByCredential = sql(`SELECT ${COLUMNS} FROM passkeys WHERE credential_id = ?`);

export function* findPasskey(credential_id: string): Work<PasskeyRecord | null> {
  return yield* readFirst(PASSKEY, selectByCredential, [credential_id]);
}

const moveCounter = sql(
  `UPDATE passkeys SET counter = ?, backed_up = ?, last_used_ms = ? WHERE credential_id = ? AND counter = ?
    RETURNING id`,
);

export function* recordPasskeyUse(
  credential_id: string,
  from_counter: number,
  to_counter: number,
  backed_up: boolean,
): Work<boolean> {
  const params = [to_counter, backed_up ? 1 : 0, yield* now_ms(), credential_id, from_counter];
  return (yield* row(moveCounter, params)) !== null;
}

const deleteOne = sql("DELETE FROM passkeys WHERE id = ? AND user_id = ? RETURNING name");

export function* deletePasskey(user_id: string, passkey_id: string, note: AuditNote): Work<boolean> {
  if (!(yield* lockUser(user_id))) return false;
  const user = yield* requireUser(user_id);
  const deleted = yield* row<{ name: string }>(deleteOne, [passkey_id, user_id]);
  if (deleted === null) return false;
  allowed(refuseLastWay(user, "this passkey"));
  const object = { kind: "passkey", id: passkey_id };
  const before = { name: deleted.name, user_id };
  yield* writeAuditEntry({ ...note, object, account_id: user.account_id, before, after: null });
  return true;
}
