import type { AuditNote } from "../../core/people/audit.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { accountOfCredit, entryOfCredit, type OwingInvitation } from "../../people/links/invited-credit.ts";
import { findAccount } from "../accounts/accounts.ts";
import { addEntry } from "../accounts/entries.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

type OwingRow = Omit<OwingInvitation, "credit_micro"> & { readonly credit_micro: unknown };

const AT_ONCE = 20;
const selectOwing = sql(
  `SELECT id, email, account_id, made_by, credit_micro FROM links
    WHERE credit_micro IS NOT NULL AND credit_booked_ms IS NULL AND used_ms IS NOT NULL ORDER BY id LIMIT ${AT_ONCE}`,
);
const markBooked = sql("UPDATE links SET credit_booked_ms = ? WHERE id = ? AND credit_booked_ms IS NULL RETURNING id");

/**
 * Books the credit of invitations that were accepted, each once, in the transaction that accepts them (docs/design/people.md).
 */
export function* bookInvitedCredit(note: AuditNote): Work<void> {
  for (const found of yield* rows<OwingRow>(selectOwing))
    yield* book({ ...found, credit_micro: toMicro(found.credit_micro) }, note);
}

function* book(owing: OwingInvitation, note: AuditNote): Work<void> {
  const account = yield* findAccount(accountOfCredit(owing));
  if (account === null) return;
  if ((yield* row(markBooked, [yield* now_ms(), owing.id])) === null) return;
  const entry = entryOfCredit(owing, account.id);
  try {
    yield* addEntry(entry);
  } catch (thrown) {
    // The account can hold no more, which is no reason to keep anybody from signing in.
    if (!(thrown instanceof StoreConflict)) throw thrown;
    yield* write(note, account.id, { invitation: owing.id, refused: thrown.message });
    return;
  }
  const { kind, amount_micro, note: words } = entry;
  yield* write(note, account.id, {
    ...(yield* findAccount(account.id)),
    invitation: owing.id,
    invited_by: owing.made_by,
    entry: { kind, amount_micro, note: words },
  });
}

function* write(note: AuditNote, account_id: string, after: Record<string, unknown>): Work<void> {
  const object = { kind: "account", id: account_id };
  yield* writeAuditEntry({ ...note, action: "credit.add", object, account_id, before: null, after });
}
