import type { ClientHeaders, ClientRequest } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";

/** What tells a request's conversation from others, as far as its body says it. */
export interface ConversationMarks {
  /** The client's own `prompt_cache_key`. */
  readonly cache_key: string | null;
  /** The texts of the system prompt and of the first message, bounded; null in protocols without messages. */
  readonly beginning: string | null;
}

/** The headers in which clients name their sessions, in the order in which they count. */
const SESSION_HEADERS = [
  ...["x-session-id", "session_id", "session-id", "conversation_id"],
  ...["x-session-affinity", "x-claude-code-session-id"],
];

/** Enough of a conversation's beginning to tell it from others. */
const MOST_CHARACTERS = 32_768;
/** Members that change from turn to turn, or say nothing. */
const LEFT_OUT: ReadonlySet<string> = new Set(["cache_control", "id", "type", "role", "status", "detail"]);

/**
 * The name of a request's conversation within its account (docs/rulings.md 181): the client's `prompt_cache_key`, else its session
 * header, else how the conversation begins. Null where nothing tells it.
 */
export function conversationOf(request: ClientRequest, headers: ClientHeaders): string | null {
  const { cache_key, beginning } = request.conversation ?? conversationMarks(request.protocol, request.body);
  if (cache_key !== null) return `key\n${cache_key}`;
  for (const name of SESSION_HEADERS) {
    const session = headers.get(name);
    if (session !== null && session !== "") return `session\n${session}`;
  }
  return beginning === null ? null : `begins\n${beginning}`;
}

export function conversationMarks(protocol: ClientRequest["protocol"], body: ClientRequest["body"]): ConversationMarks {
  const { prompt_cache_key } = body;
  const cache_key = typeof prompt_cache_key === "string" && prompt_cache_key !== "" ? prompt_cache_key : null;
  return { cache_key, beginning: cache_key === null ? beginningOf(protocol, body) : null };
}

function beginningOf(protocol: ClientRequest["protocol"], body: ClientRequest["body"]): string | null {
  switch (protocol) {
    case "chat-completions":
      return textsOf(firstOf(body.messages));
    case "responses":
    case "responses-compact":
      return textsOf([body.instructions, typeof body.input === "string" ? body.input : firstOf(body.input)]);
    case "messages":
      return textsOf([body.system, firstOf(body.messages)]);
    case "gemini":
      return textsOf([body.systemInstruction ?? body.system_instruction, firstOf(body.contents)]);
    default:
      return null;
  }
}

/** The system messages at the beginning of a list, and the first that is another. */
function firstOf(turns: unknown): unknown[] {
  if (!Array.isArray(turns)) return [];
  const first = turns.findIndex((turn) => !isObject(turn) || (turn.role !== "system" && turn.role !== "developer"));
  return turns.slice(0, first < 0 ? turns.length : first + 1);
}

/** The texts inside, in their order: however a client or a stored turn writes a message, the same texts are the same message. */
function textsOf(value: unknown): string | null {
  const texts: string[] = [];
  let room = MOST_CHARACTERS;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && room > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      texts.push(next.length <= room ? next : next.slice(0, room));
      room -= next.length + 1;
    } else if (Array.isArray(next)) for (let at = next.length - 1; at >= 0; at -= 1) waiting.push(next[at]);
    else if (isObject(next))
      for (const name of Object.keys(next).toReversed()) if (!LEFT_OUT.has(name)) waiting.push(next[name]);
  }
  return texts.length === 0 ? null : texts.join("\n");
}
