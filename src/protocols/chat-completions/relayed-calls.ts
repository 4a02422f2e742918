import { isObject } from "../../core/json.ts";
import { LEGAL_CALL_IDS, legalCallId } from "../shared/call-ids.ts";
import { mapItems } from "../shared/json-items.ts";
import { findItems, findMembers, memberText, replaceMembers } from "../shared/json-members.ts";

type Wire = Readonly<Record<string, unknown>>;

/**
 * The text of relayed messages with each result in the row behind its calls, whatever stood between them, and without
 * ids that are longer than OpenAI takes them (docs/rulings.md 191); null where nothing has to change, which is nearly
 * always. A message moves as it was sent.
 */
export function relayedCalls(messages: readonly Wire[], textOf: () => string): string | null {
  const is_long = messages.some(hasIllegalId);
  const is_parted = messages.some(({ role }, index) => role === "tool" && !mayPrecedeResult(messages[index - 1]));
  if (!is_long && !is_parted) return null;
  const text = is_long ? mapItems(textOf(), (item, index) => withLegalIds(messages[index] ?? {}, item)) : textOf();
  if (!is_parted) return text;
  const rows: string[][] = [];
  let answer: string[] | null = null;
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const { role } = messages[index] ?? {};
    const item = text.slice(start, end);
    if (role === "tool" && answer !== null) answer.push(item);
    else rows.push([item]);
    if (role === "assistant") answer = rows.at(-1) ?? null;
  }
  return `[${rows.flat().join(",")}]`;
}

function mayPrecedeResult(message: Wire | undefined): boolean {
  return message?.role === "tool" || message?.role === "assistant";
}

function hasIllegalId({ tool_call_id, tool_calls }: Wire): boolean {
  return isIllegal(tool_call_id) || (Array.isArray(tool_calls) && tool_calls.some(({ id }: Wire) => isIllegal(id)));
}

function isIllegal(id: unknown): id is string {
  return typeof id === "string" && !LEGAL_CALL_IDS.chat.test(id);
}

function withLegalIds(message: Wire, text: string): string {
  if (!hasIllegalId(message)) return text;
  const { tool_call_id, tool_calls } = message;
  if (isIllegal(tool_call_id)) return replaceMembers(text, [["tool_call_id", legal(tool_call_id)]]);
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  const sent = memberText(text, findMembers(text), "tool_calls") ?? "[]";
  const changed = mapItems(sent, (item, index) => {
    const call = calls[index];
    return isObject(call) && isIllegal(call.id) ? replaceMembers(item, [["id", legal(call.id)]]) : item;
  });
  return replaceMembers(text, [["tool_calls", changed]]);
}

function legal(id: string): string {
  return JSON.stringify(legalCallId(id, LEGAL_CALL_IDS.chat));
}
