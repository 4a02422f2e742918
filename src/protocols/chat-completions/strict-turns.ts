import { isObject, type JsonRecord } from "../../core/json.ts";

/**
 * The assistant message that is put between a tool's result and the next user message, where the vendor requires one
 * there.
 */
const BETWEEN: JsonRecord = { role: "assistant", content: "Done." };

/**
 * Messages for vendors with the quirk `strict_turns`: ids of calls have nine letters and digits, equal for a call and
 * its result; an assistant message stands between results and the next user message; a last assistant message is marked
 * as a prefix. Returns the given list where no change is needed.
 */
export function strictTurns(messages: readonly JsonRecord[]): readonly JsonRecord[] {
  const turns = messages.flatMap((message, index) => {
    const follows_result = message.role === "user" && messages[index - 1]?.role === "tool";
    return follows_result ? [BETWEEN, message] : [withShortIds(message)];
  });
  const last = turns.at(-1);
  if (last?.role === "assistant" && last.prefix !== true) turns.splice(-1, 1, { ...last, prefix: true });
  const is_same = turns.length === messages.length && turns.every((turn, index) => turn === messages[index]);
  return is_same ? messages : turns;
}

function withShortIds(message: JsonRecord): JsonRecord {
  const { tool_call_id, tool_calls } = message;
  if (typeof tool_call_id === "string" && !NINE_SIGNS.test(tool_call_id))
    return { ...message, tool_call_id: nineSigns(tool_call_id) };
  if (!Array.isArray(tool_calls) || !tool_calls.some(hasOtherId)) return message;
  return {
    ...message,
    tool_calls: tool_calls.map((call) => (hasOtherId(call) ? { ...call, id: nineSigns(call.id) } : call)),
  };
}

const NINE_SIGNS = /^[a-zA-Z0-9]{9}$/;

function hasOtherId(call: unknown): call is JsonRecord & { readonly id: string } {
  return isObject(call) && typeof call.id === "string" && !NINE_SIGNS.test(call.id);
}

function nineSigns(id: string): string {
  return Bun.hash(id).toString(36).padStart(9, "0").slice(-9);
}
