import type { VendorCredentialRecord } from "../../core/catalog/vendor-credential-store.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, readRows, text } from "../sql/columns.ts";
import { sql, taken } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { nextRevision, revisionOf } from "./revisions.ts";

const CREDENTIAL = {
  vendor_id: text,
  key_version: int,
  nonce: text,
  ciphertext: text,
  set_ms: int,
  set_by: text,
} as const;
const COLUMNS = columnsOf(CREDENTIAL);

const selectCredentials = sql(`SELECT ${COLUMNS} FROM vendor_credentials ORDER BY vendor_id`);

export function* list(): Work<VendorCredentialRecord[]> {
  return yield* readRows(CREDENTIAL, selectCredentials);
}

export function* revision(): Work<number> {
  return yield* revisionOf("vendor_credentials");
}

const upsertCredential = sql(
  `INSERT INTO vendor_credentials (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (vendor_id) DO UPDATE SET ${taken(["key_version", "nonce", "ciphertext", "set_ms", "set_by"])}`,
);

export function* put(record: Omit<VendorCredentialRecord, "set_ms">): Work<void> {
  const { vendor_id, key_version, nonce, ciphertext, set_by } = record;
  yield* nextRevision("vendor_credentials");
  yield* rows(upsertCredential, [vendor_id, key_version, nonce, ciphertext, yield* now_ms(), set_by]);
}

const deleteCredential = sql("DELETE FROM vendor_credentials WHERE vendor_id = ? RETURNING vendor_id");

export function* remove(vendor_id: string): Work<boolean> {
  yield* nextRevision("vendor_credentials");
  return (yield* row(deleteCredential, [vendor_id])) !== null;
}
