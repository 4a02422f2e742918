import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../../core/answer/generation.ts";
import { CallIds } from "../shared/call-ids.ts";
import { NO_RESULT, resultOf } from "../shared/substitute-texts.ts";

/**
 * The conversation with the result of each call right behind the message that has the call, in the order of the calls,
 * whatever stood between them, and with ids that the target takes (docs/rulings.md 191). A result belongs to the latest
 * call of its id. A call without a result gets one that says so, a second result joins the first, and a result without a
 * call becomes a user's text: a session goes on, however it was cut.
 */
export function resultsBehindCalls(messages: readonly Message[], legal_ids: RegExp): readonly Message[] {
  const conversation = new OrderedConversation(new CallIds(legal_ids));
  for (const message of messages) conversation.take(message);
  return conversation.messages();
}

/** A call with its results so far. */
interface CallResults {
  readonly id: string;
  readonly results: ToolMessage[];
}

/** The calls of one id in the latest message that has such calls. */
interface CallsOfId {
  readonly calls: readonly CallResults[];
  answered: number;
}

class OrderedConversation {
  readonly #ids: CallIds;
  readonly #rows: { readonly message: Message; readonly calls: readonly CallResults[] }[] = [];
  readonly #latest = new Map<string, CallsOfId>();

  constructor(ids: CallIds) {
    this.#ids = ids;
  }

  take(message: Message): void {
    if (message.role === "assistant") this.#takeAnswer(message);
    else if (message.role === "tool") this.#takeResult(message);
    else this.#rows.push({ message, calls: [] });
  }

  messages(): readonly Message[] {
    return this.#rows.flatMap(({ message, calls }) => [message, ...calls.map(resultIn)]);
  }

  #takeAnswer(message: AssistantMessage): void {
    const by_id = new Map<string, CallResults[]>();
    const calls: CallResults[] = [];
    const content = message.content.map((part) => {
      if (part.type !== "tool-call") return part;
      const call: CallResults = { id: this.#ids.next(part.id), results: [] };
      calls.push(call);
      const same = by_id.get(part.id);
      if (same === undefined) by_id.set(part.id, [call]);
      else same.push(call);
      return withId(part, call.id);
    });
    for (const [id, same] of by_id) this.#latest.set(id, { calls: same, answered: 0 });
    this.#rows.push({ message: calls.length === 0 ? message : { ...message, content }, calls });
  }

  #takeResult(result: ToolMessage): void {
    const latest = this.#latest.get(result.call_id);
    if (latest === undefined) {
      const said = { type: "text", text: resultOf(result.call_id) } as const;
      this.#rows.push({ message: { role: "user", content: [said, ...result.content] }, calls: [] });
      return;
    }
    const call = latest.calls[latest.answered] ?? latest.calls.at(-1);
    latest.answered += 1;
    // What is said twice is said once.
    if (!Bun.deepEquals(call?.results.at(-1)?.content, result.content)) call?.results.push(result);
  }
}

function resultIn({ id, results: [first, ...others] }: CallResults): ToolMessage {
  if (first === undefined)
    return { role: "tool", call_id: id, content: [{ type: "text", text: NO_RESULT }], is_error: false };
  if (others.length === 0) return { ...first, call_id: id };
  return { ...first, call_id: id, content: [first, ...others].flatMap(({ content }) => content) };
}

function withId(call: ToolCallPart, id: string): ToolCallPart {
  return call.id === id ? call : { ...call, id };
}
