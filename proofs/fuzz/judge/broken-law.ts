import type { GenerationEndpoint } from "../../../src/core/endpoints.ts";
import { checkChatStream } from "../../grammars/chat-completions/stream-grammar.ts";
import { checkGeminiStream } from "../../grammars/gemini/stream-grammar.ts";
import { checkMessagesStream } from "../../grammars/messages/stream-grammar.ts";
import { checkResponsesStream } from "../../grammars/responses/stream-grammar.ts";

type Verdict = { readonly end: unknown } | { readonly frame: number; readonly problem: string };

type Grammar = (text: string) => Verdict;

/** The grammars of which one must hold: whether a client of chat completions has asked for the usage is not known here. */
const GRAMMARS: Readonly<Record<GenerationEndpoint, readonly [Grammar, ...Grammar[]]>> = {
  "chat.completions": [(text) => checkChatStream(text, { include_usage: true }), (text) => checkChatStream(text)],
  responses: [checkResponsesStream],
  messages: [checkMessagesStream],
  generateContent: [checkGeminiStream],
};

/** A call's name, id and arguments are the vendor's own text: no gateway can make a name of nothing, or JSON of what is none. */
const VENDORS_OWN =
  /is no object of JSON|is no string with something in it|two (?:items|blocks) have the id|begins without a name/;

/** The first law of its style that a stream of the gateway's own making breaks, and where; null for a legal stream. */
export function brokenLaw(endpoint: GenerationEndpoint, text: string): string | null {
  let broken: string | null = null;
  for (const grammar of GRAMMARS[endpoint]) {
    const verdict = grammar(text);
    if (!("problem" in verdict) || VENDORS_OWN.test(verdict.problem)) return null;
    broken ??= `frame ${verdict.frame}: ${verdict.problem}`;
  }
  return broken;
}
