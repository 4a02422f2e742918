import { checkChatStream } from "../../../src/protocols/chat-completions/stream-grammar.ts";
import { checkMessagesStream } from "../../../src/protocols/messages/stream-grammar.ts";
import { checkResponsesStream } from "../../../src/protocols/responses/stream-grammar.ts";
import type { Style } from "./styles.ts";

const GRAMMARS = {
  "chat.completions": (text: string) => checkChatStream(text),
  responses: checkResponsesStream,
  messages: checkMessagesStream,
} as const;

/** What breaks the grammar of the style first; null for a legal stream, also one that ended in a failure or was cut. */
export function brokenLaw(style: Style, text: string): string | null {
  const verdict = GRAMMARS[style.endpoint](text);
  return "problem" in verdict ? `frame ${verdict.frame}: ${verdict.problem}` : null;
}
