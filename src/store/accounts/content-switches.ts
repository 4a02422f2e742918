import type { ContentScope, ContentSwitch } from "../../core/answer/contents.ts";
import { columnsOf, flag, readRows, text, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { lockAccount, renewKeys } from "./locks.ts";

const SWITCH = { scope: word<ContentScope>(), id: text, keeps: flag, words: flag } as const;
const selectSwitches = sql(`SELECT ${columnsOf(SWITCH)} FROM content_switches WHERE account_id = ? ORDER BY scope, id`);

export function* contentSwitches(account_id: string): Work<ContentSwitch[]> {
  return yield* readRows(SWITCH, selectSwitches, [account_id]);
}

const deleteSwitch = sql("DELETE FROM content_switches WHERE account_id = ? AND scope = ? AND id = ?");
const insertSwitch = sql("INSERT INTO content_switches (account_id, scope, id, keeps, words) VALUES (?, ?, ?, ?, ?)");

export function* setContentSwitch(
  account_id: string,
  { scope, id }: Pick<ContentSwitch, "scope" | "id">,
  value: Pick<ContentSwitch, "keeps" | "words"> | null,
): Work<void> {
  yield* lockAccount(account_id);
  yield* rows(deleteSwitch, [account_id, scope, id]);
  if (value !== null) yield* rows(insertSwitch, [account_id, scope, id, value.keeps ? 1 : 0, value.words ? 1 : 0]);
  yield* rows(renewKeys[scope], [id]);
}
