import { isObject, type JsonRecord } from "../../core/json.ts";

/** Media of one part of Gemini's answer, in base64. */
export interface InlineMedia {
  readonly data: string;
  /** Such as `audio/L16;codec=pcm;rate=24000`; "undefined" where it is not told. */
  readonly mime_type: string;
}

/** The media of an answer's first candidate, in their order, without those of its thoughts and empty ones. */
export function mediaIn({ candidates }: JsonRecord): InlineMedia[] {
  const [first] = Array.isArray(candidates) ? candidates : [];
  const content = isObject(first) && isObject(first.content) ? first.content : {};
  const parts: readonly unknown[] = Array.isArray(content.parts) ? content.parts : [];
  return parts.flatMap((part) => {
    const inline = isObject(part) && part.thought !== true && isObject(part.inlineData) ? part.inlineData : null;
    if (inline === null || typeof inline.data !== "string" || inline.data === "") return [];
    return [{ data: inline.data, mime_type: String(inline.mimeType) }];
  });
}

/** Why Gemini made none, in its own word where it says one. `what`: `image`, `sound`. */
export function whyNoMedia(told: unknown, what: string): string {
  const feedback = isObject(told) && isObject(told.promptFeedback) ? told.promptFeedback.blockReason : null;
  const [first] = isObject(told) && Array.isArray(told.candidates) ? told.candidates : [];
  const reason = feedback ?? (isObject(first) ? first.finishReason : null);
  return `The model service sent no ${what}${typeof reason === "string" ? ` (${reason})` : ""}.`;
}
