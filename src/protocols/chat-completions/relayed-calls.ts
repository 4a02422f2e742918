import { isObject, type JsonRecord } from "../../core/json.ts";
import { GivenCallIds, LEGAL_CALL_IDS, needOtherIds } from "../shared/call-ids.ts";
import { findMembers, itemTexts, mapItems, memberText, replaceMembers } from "../shared/json-members.ts";

/**
 * The text of relayed messages with each result in the row behind its calls, whatever stood between them, and with
 * ids that OpenAI takes: not too long, and all different (docs/rulings.md 191); null where nothing has to change, which is nearly
 * always. A message moves as it was sent.
 */
export function relayedCalls(messages: readonly JsonRecord[], textOf: () => string): string | null {
  const is_odd = needOtherIds(callIdsOf(messages), LEGAL_CALL_IDS.chat);
  const is_parted = messages.some(({ role }, index) => role === "tool" && !mayPrecedeResult(messages[index - 1]));
  if (!is_odd && !is_parted) return null;
  const text = is_odd ? withOtherIds(messages, textOf()) : textOf();
  if (!is_parted) return text;
  const rows: string[][] = [];
  let answer: string[] | null = null;
  for (const [index, item] of itemTexts(text).entries()) {
    const { role } = messages[index] ?? {};
    if (role === "tool" && answer !== null) answer.push(item);
    else rows.push([item]);
    if (role === "assistant") answer = rows.at(-1) ?? null;
  }
  return `[${rows.flat().join(",")}]`;
}

function mayPrecedeResult(message: JsonRecord | undefined): boolean {
  return message?.role === "tool" || message?.role === "assistant";
}

function callsOf({ role, tool_calls }: JsonRecord): readonly unknown[] {
  return role === "assistant" && Array.isArray(tool_calls) ? tool_calls : [];
}

function* callIdsOf(messages: readonly JsonRecord[]): Iterable<string> {
  for (const message of messages)
    for (const call of callsOf(message)) if (isObject(call) && typeof call.id === "string") yield call.id;
}

function withOtherIds(messages: readonly JsonRecord[], text: string): string {
  const ids = new GivenCallIds(LEGAL_CALL_IDS.chat);
  return mapItems(text, (item, index) => {
    const message = messages[index] ?? {};
    const { role, tool_call_id } = message;
    if (role === "tool" && typeof tool_call_id === "string")
      return withId(item, "tool_call_id", tool_call_id, ids.ofResult(tool_call_id));
    const calls = callsOf(message);
    if (calls.length === 0) return item;
    ids.nextTurn();
    const sent = memberText(item, findMembers(item), "tool_calls") ?? "[]";
    const changed = mapItems(sent, (call, at) => {
      const { id } = isObject(calls[at]) ? calls[at] : {};
      return typeof id === "string" ? withId(call, "id", id, ids.ofCall(id)) : call;
    });
    return changed === sent ? item : replaceMembers(item, [["tool_calls", changed]]);
  });
}

function withId(text: string, name: string, id: string, given: string | null): string {
  return given === null || given === id ? text : replaceMembers(text, [[name, JSON.stringify(given)]]);
}
