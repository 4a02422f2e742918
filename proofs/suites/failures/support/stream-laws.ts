import { checkChatStream } from "../../../grammars/chat-completions/stream-grammar.ts";
import { checkGeminiStream } from "../../../grammars/gemini/stream-grammar.ts";
import { checkMessagesStream } from "../../../grammars/messages/stream-grammar.ts";
import { checkResponsesStream } from "../../../grammars/responses/stream-grammar.ts";
import type { Style } from "./styles.ts";

const GRAMMARS = {
  "chat.completions": (text: string) => checkChatStream(text),
  responses: checkResponsesStream,
  messages: checkMessagesStream,
  generateContent: checkGeminiStream,
} as const;

/** The first violation of the style's grammar; null for a legal stream, also a failed or a cut one. */
export function brokenLaw(style: Style, text: string): string | null {
  const verdict = GRAMMARS[style.endpoint](text);
  return "problem" in verdict ? `frame ${verdict.frame}: ${verdict.problem}` : null;
}
