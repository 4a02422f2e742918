import type { Example } from "./example.ts";
import { CHAT_EXAMPLES } from "./examples-chat.ts";
import { BEDROCK_EXAMPLES, GEMINI_EXAMPLES } from "./examples-cloud.ts";
import { MESSAGES_EXAMPLES } from "./examples-messages.ts";
import { RESPONSES_EXAMPLES } from "./examples-responses.ts";

/** Every table's examples, by protocol. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  chat: CHAT_EXAMPLES,
  responses: RESPONSES_EXAMPLES,
  messages: MESSAGES_EXAMPLES,
  gemini: GEMINI_EXAMPLES,
  bedrock: BEDROCK_EXAMPLES,
};
