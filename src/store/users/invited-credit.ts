import type { AuditNote } from "../../core/people/audit.ts";
import type { OwingInvitation } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { accountOfCredit, entryOfCredit } from "../../people/links/invited-credit.ts";
import { findAccount } from "../accounts/accounts.ts";
import { addEntry } from "../accounts/entries.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, columnsOf, readRows, text, textOrNull } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

const OWING = { id: text, email: text, account_id: textOrNull, made_by: text, credit_micro: amount } as const;

const AT_ONCE = 20;
/** Whether the account that a link's credit goes to lives in another cell. */
const IS_ELSEWHERE = `(EXISTS (SELECT 1 FROM accounts AS a WHERE a.id = links.account_id AND a.cell IS NOT NULL)
    OR EXISTS (SELECT 1 FROM accounts AS a WHERE links.account_id IS NULL AND a.email_key = links.email_key AND a.cell IS NOT NULL))`;
const owing = (where: string) =>
  sql(`SELECT ${columnsOf(OWING)} FROM links
    WHERE credit_micro IS NOT NULL AND credit_booked_ms IS NULL AND used_ms IS NOT NULL AND ${where} ORDER BY id LIMIT ${AT_ONCE}`);
const selectOwing = owing(`NOT ${IS_ELSEWHERE}`);
const selectElsewhere = owing(IS_ELSEWHERE);
const markBooked = sql("UPDATE links SET credit_booked_ms = ? WHERE id = ? AND credit_booked_ms IS NULL RETURNING id");

/**
 * Books the credit of invitations that were accepted, each once, in the transaction that accepts them (docs/design/people.md).
 */
export function* bookInvitedCredit(note: AuditNote): Work<void> {
  for (const found of yield* readRows(OWING, selectOwing)) yield* book(found, note);
}

/** The accepted invitations whose credit is owed to accounts of other cells (docs/adr/0085). */
export function* listOwingElsewhere(): Work<OwingInvitation[]> {
  return yield* readRows(OWING, selectElsewhere);
}

export function* noteCreditBooked(link_id: string): Work<void> {
  yield* rows(markBooked, [yield* now_ms(), link_id]);
}

function* book(owing: OwingInvitation, note: AuditNote): Work<void> {
  const account = yield* findAccount(accountOfCredit(owing));
  if (account === null) return;
  if ((yield* row(markBooked, [yield* now_ms(), owing.id])) === null) return;
  yield* bookOwing(owing, account.id, note);
}

/** Books the credit by its id: once, also where it is asked for again by another cell that does not know yet that it was. */
export function* bookOwing(owing: OwingInvitation, account_id: string, note: AuditNote): Work<void> {
  const entry = entryOfCredit(owing, account_id);
  const before = yield* findAccount(account_id);
  try {
    yield* addEntry(entry);
  } catch (thrown) {
    // The account can hold no more, which is no reason to keep anybody from signing in.
    if (!(thrown instanceof StoreConflict)) throw thrown;
    yield* write(note, account_id, { invitation: owing.id, refused: thrown.message });
    return;
  }
  const after = yield* findAccount(account_id);
  if (after?.balance_micro === before?.balance_micro) return;
  const { kind, amount_micro, note: words } = entry;
  yield* write(note, account_id, {
    ...after,
    invitation: owing.id,
    invited_by: owing.made_by,
    entry: { kind, amount_micro, note: words },
  });
}

function* write(note: AuditNote, account_id: string, after: Record<string, unknown>): Work<void> {
  const object = { kind: "account", id: account_id };
  yield* writeAuditEntry({ ...note, action: "credit.add", object, account_id, before: null, after });
}
