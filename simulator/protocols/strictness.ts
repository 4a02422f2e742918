import { BadRequest } from "../ask.ts";
import type { ModelName } from "../model-name.ts";
import { isSealMark } from "../seal.ts";
import { isObject, type Json, objectsOf, textOf } from "./read.ts";

/**
 * Particular vendors' checks of earlier answers that clients send back, in the vendors' own sentences:
 * `reason@replay=deepseek`. Without the parameter a model accepts every answer in the protocol's public shape.
 */

/** Google's error for a step whose first call has no signature. `position` is the content's place, from 1. */
export function missingSignature(name: string, position: number): string {
  return (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and " +
    "missing thought_signature may lead to degraded model performance. Additional data, function call " +
    `\`default_api:${name}\` , position ${position}. Please refer to ` +
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
  );
}

/** The value that Google documents in place of an unknown signature. */
export const UNSIGNED = "skip_thought_signature_validator";

type CheckMessage = (message: Json, index: number) => void;

/** Checks of the assistant messages of chat completions, by vendor. */
const CHAT: Readonly<Record<string, CheckMessage>> = {
  deepseek: (message) => {
    if (hasCalls(message) && typeof message.reasoning_content !== "string")
      throw new BadRequest("The `reasoning_content` in the thinking mode must be passed back to the API.");
  },
  moonshot: (message, index) => {
    if (hasCalls(message) && typeof message.reasoning_content !== "string") {
      throw new BadRequest(
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
      );
    }
  },
  groq: (message, index) => {
    const field = ["reasoning_content", "reasoning_details"].find((name) => message[name] !== undefined);
    if (field === undefined) return;
    const place = `'messages.${index}'`;
    throw new BadRequest(
      `${place} : for 'role:assistant' the following must be satisfied[(${place} : property '${field}' is unsupported)]`,
    );
  },
  google: (message, index) => {
    const [first] = objectsOf(message.tool_calls);
    if (first === undefined) return;
    const signature = signatureOf(first);
    const name = isObject(first.function) ? textOf(first.function.name) : "";
    if (signature === undefined) throw new BadRequest(missingSignature(name, index + 1));
    if (signature !== UNSIGNED && !isSealMark(signature)) throw new BadRequest("Corrupted thought signature.");
  },
};

/** The check of a model's assistant messages; null for a model without such a check. */
export function chatRule({ params }: ModelName): CheckMessage | null {
  return CHAT[params.text("replay", "")] ?? null;
}

/** Whether the model requires its unsigned thinking back with each call (messages). */
export function wantsUnsignedThinking({ params }: ModelName): boolean {
  return params.text("replay", "") === "deepseek";
}

/** Refuses an answer of messages that calls tools and has no thinking. */
export function checkThinking(blocks: readonly Json[]): void {
  const has = (type: string) => blocks.some((block) => block.type === type);
  if (has("tool_use") && !has("thinking"))
    throw new BadRequest("The `content[].thinking` in the thinking mode must be passed back to the API.");
}

/** Whether the model signs its calls as Google does for OpenAI's clients. */
export function signsCalls({ params }: ModelName): boolean {
  return params.text("replay", "") === "google";
}

function signatureOf(call: Json): unknown {
  const google = isObject(call.extra_content) ? call.extra_content.google : undefined;
  return isObject(google) ? google.thought_signature : undefined;
}

function hasCalls(message: Json): boolean {
  return objectsOf(message.tool_calls).length > 0;
}
