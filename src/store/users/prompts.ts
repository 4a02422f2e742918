import type { AuditNote } from "../../core/people/audit.ts";
import type { NewPrompt, PromptPatch, PromptRecord } from "../../core/people/prompts.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { lockUser } from "../accounts/locks.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, flag, int, readFirst, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** Beside the e-mail of their user. */
const PROMPT = {
  id: text,
  account_id: text,
  user_id: text,
  name: text,
  shared: flag,
  content: text,
  created_ms: int,
  updated_ms: int,
} as const;
const SHOWN = { ...PROMPT, email: text } as const;
const SELECT = `SELECT ${columnsOf(PROMPT, "p")}, u.email FROM prompts AS p JOIN users AS u ON u.id = p.user_id`;

/** Far more than an account's people save; a list of more would be no list. */
const MOST_LISTED = 1000;
const selectSeen = sql(
  `${SELECT} WHERE p.account_id = ? AND (p.user_id = ? OR p.shared = 1) ORDER BY p.updated_ms DESC, p.id LIMIT ${MOST_LISTED}`,
);
const selectOne = sql(`${SELECT} WHERE p.id = ?`);

export function* listPrompts(account_id: string, user_id: string): Work<PromptRecord[]> {
  return yield* readRows(SHOWN, selectSeen, [account_id, user_id]);
}

export function* findPrompt(id: string): Work<PromptRecord | null> {
  return yield* readFirst(SHOWN, selectOne, [id]);
}

const countOwn = sql("SELECT COUNT(*) AS own FROM prompts WHERE account_id = ? AND user_id = ?");
const insert = sql(
  `INSERT INTO prompts (id, account_id, user_id, name, shared, content, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING id`,
);

export function* createPrompt(prompt: NewPrompt, note: AuditNote): Work<PromptRecord> {
  const { id, account_id, user_id, name, shared, content, at_most } = prompt;
  // A user's savings take turns, so that many at once do not pass the limit together.
  yield* lockUser(user_id);
  const own = yield* row<{ own: unknown }>(countOwn, [account_id, user_id]);
  const earlier = yield* findPrompt(id);
  if (earlier !== null) throw new StoreConflict(`There is a prompt ${id} already: its Idempotency-Key made it.`);
  if (toInt(own?.own ?? 0) >= at_most)
    throw new StoreConflict(
      `You have ${at_most} prompts in this account, which is as many as there may be: delete some.`,
    );
  const now = yield* now_ms();
  yield* row(insert, [id, account_id, user_id, name, shared ? 1 : 0, content, now, now]);
  const made = yield* existing(id);
  yield* writeAuditEntry({ ...note, ...subject(made), before: null, after: shown(made) });
  return made;
}

const update = sql("UPDATE prompts SET name = ?, shared = ?, content = ?, updated_ms = ? WHERE id = ? RETURNING id");

export function* updatePrompt(id: string, patch: PromptPatch, note: AuditNote): Work<PromptRecord | null> {
  const before = yield* findPrompt(id);
  if (before === null) return null;
  const { name, shared, content } = { ...before, ...patch };
  yield* row(update, [name, shared ? 1 : 0, content, yield* now_ms(), id]);
  const after = yield* existing(id);
  yield* writeAuditEntry({ ...note, ...subject(after), before: shown(before), after: shown(after) });
  return after;
}

const remove = sql("DELETE FROM prompts WHERE id = ?");

export function* deletePrompt(id: string, note: AuditNote): Work<boolean> {
  const before = yield* findPrompt(id);
  if (before === null) return false;
  yield* rows(remove, [id]);
  yield* writeAuditEntry({ ...note, ...subject(before), before: shown(before), after: null });
  return true;
}

function* existing(id: string): Work<PromptRecord> {
  const found = yield* findPrompt(id);
  if (found === null) throw new Error(`the prompt ${id} was not written`);
  return found;
}

function subject({ id, account_id }: PromptRecord) {
  return { object: { kind: "prompt", id }, account_id };
}

/** A prompt in the audit log, without its text, which is its author's business. */
function shown({ name, shared, content }: PromptRecord): Record<string, unknown> {
  return { name, shared, characters: content.length };
}
