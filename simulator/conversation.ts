import type { Ask, AskedImage, AskedTurn, ToolResult } from "./ask.ts";
import type { ModelName } from "./model-name.ts";
import { plainAsk } from "./plain-ask.ts";
import type { Json } from "./protocols/read.ts";

/** What is read of a conversation, in whichever protocol it is written. */
export interface Conversation {
  readonly prompt: string[];
  last_user_text: string;
  readonly images: AskedImage[];
  /** The results after the last answer. */
  tool_results: ToolResult[];
  readonly turns: AskedTurn[];
}

export function emptyConversation(): Conversation {
  return { prompt: [], last_user_text: "", images: [], tool_results: [], turns: [] };
}

/** Adds a user's turn of these texts, which may be none. */
export function addUserTurn(read: Conversation, texts: readonly string[]): void {
  read.prompt.push(...texts);
  read.turns.push({ role: "user", text: texts.join("\n"), calls: 0 });
  if (texts.length > 0) read.last_user_text = texts.join("\n");
}

/** Adds an answer's turn of these texts, with the number of its calls. */
export function addAnswerTurn(read: Conversation, texts: readonly string[], calls: number): void {
  read.prompt.push(...texts);
  read.turns.push({ role: "assistant", text: texts.join(""), calls });
}

/** A conversation as an `Ask`; the model reads the declarations of `tools` after it. */
export function conversationAsk(
  model: ModelName,
  body: Json,
  { prompt, last_user_text, images, tool_results, turns }: Conversation,
  { declared, ...more }: Partial<Ask> & { readonly declared: readonly Json[] },
): Ask {
  return plainAsk(model, body, {
    prompt: declared.length > 0 ? [...prompt, JSON.stringify(declared)] : prompt,
    ...{ last_user_text, images, tool_results, turns },
    include_usage: true,
    ...more,
  });
}
