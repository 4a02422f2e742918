import type { FinishReason } from "../../core/stream-event.ts";

/**
 * Gemini's finish reasons. `failed` marks the reasons that mean that there is no answer: the model made something that
 * the vendor could not use. Tool calls end in STOP like any other answer.
 */
const REASONS = new Map<string, FinishReason | "failed">(
  Object.entries({
    STOP: "stop",
    MAX_TOKENS: "length",
    SAFETY: "content-filter",
    RECITATION: "content-filter",
    LANGUAGE: "content-filter",
    BLOCKLIST: "content-filter",
    PROHIBITED_CONTENT: "content-filter",
    SPII: "content-filter",
    MODEL_ARMOR: "content-filter",
    IMAGE_SAFETY: "content-filter",
    IMAGE_PROHIBITED_CONTENT: "content-filter",
    IMAGE_RECITATION: "content-filter",
    MALFORMED_FUNCTION_CALL: "failed",
    MALFORMED_RESPONSE: "failed",
    UNEXPECTED_TOOL_CALL: "failed",
    TOO_MANY_TOOL_CALLS: "failed",
    MISSING_THOUGHT_SIGNATURE: "failed",
  }),
);

/**
 * Reads a finish reason. For a reason that is not in the table (`OTHER`), the content shows whether there is an answer.
 */
export function finishReason(word: string, has_content: boolean): FinishReason | "failed" {
  return REASONS.get(word) ?? (has_content ? "stop" : "failed");
}

/** Why a prompt was blocked before it reached the model; null when it was not blocked. */
export function blockReason(feedback: unknown): string | null {
  if (typeof feedback !== "object" || feedback === null || !("blockReason" in feedback)) return null;
  const { blockReason: word } = feedback;
  return typeof word === "string" && word !== "BLOCK_REASON_UNSPECIFIED" ? word : null;
}
