import type { ClaimedMail, MailKind, NewMail } from "../../core/people/mails.ts";
import { now_ms } from "../sql/clock.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** So many mails of a kind wait at most: what strangers ask for takes no place from invitations. */
const MOST_WAITING = 1000;

const COLUMNS = "id, kind, email, asked_from, created_ms, ends_ms, due_ms, attempts";

interface MailRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly email: string;
  readonly asked_from: string | null;
  readonly created_ms: unknown;
  readonly ends_ms: unknown;
  readonly attempts: unknown;
}

const countKind = sql("SELECT COUNT(*) AS waiting FROM mails WHERE kind = ?");
const insertMail = sql(`INSERT INTO mails (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (id) DO NOTHING`);

export function* addMail({ id, kind, email, asked_from, ttl_ms }: NewMail): Work<boolean> {
  const found = yield* row<{ waiting: unknown }>(countKind, [kind]);
  if (toInt(found?.waiting ?? 0) >= MOST_WAITING) return false;
  const now = yield* now_ms();
  yield* rows(insertMail, [id, kind, email, asked_from, now, now + ttl_ms, now]);
  return true;
}

const CLAIM = (lock: string): string =>
  `UPDATE mails SET due_ms = ?, attempts = attempts + 1
    WHERE id = (SELECT id FROM mails WHERE due_ms <= ? ORDER BY due_ms, id LIMIT 1 ${lock})
    RETURNING id, kind, email, asked_from, created_ms, ends_ms, attempts`;
/** A mail that another node is claiming is passed over. */
const claimFirst = sqlFor({ sqlite: CLAIM(""), postgres: CLAIM("FOR UPDATE SKIP LOCKED") });
const deleteLate = sql("DELETE FROM mails WHERE ends_ms <= ? AND due_ms <= ? RETURNING id");

export function* claimMail(lease_ms: number): Work<{ mail: ClaimedMail | null; given_up: number }> {
  const now = yield* now_ms();
  const late = yield* rows(deleteLate, [now, now]);
  const found = yield* row<MailRow>(claimFirst, [now + lease_ms, now]);
  return { mail: found && claimedMail(found), given_up: late.length };
}

function claimedMail({ created_ms, ends_ms, attempts, ...found }: MailRow): ClaimedMail {
  return { ...found, created_ms: toInt(created_ms), ends_ms: toInt(ends_ms), attempts: toInt(attempts) };
}

type Claim = Pick<ClaimedMail, "id" | "attempts">;

const deleteMail = sql("DELETE FROM mails WHERE id = ? AND attempts = ?");

export function* endMail({ id, attempts }: Claim): Work<void> {
  yield* rows(deleteMail, [id, attempts]);
}

const delay = sql("UPDATE mails SET due_ms = ? WHERE id = ? AND attempts = ? AND ends_ms > ? RETURNING id");

export function* delayMail(claim: Claim, wait_ms: number): Work<boolean> {
  const due_ms = (yield* now_ms()) + wait_ms;
  if ((yield* row(delay, [due_ms, claim.id, claim.attempts, due_ms])) !== null) return true;
  yield* endMail(claim);
  return false;
}
