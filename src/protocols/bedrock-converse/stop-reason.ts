import { isObject } from "../../core/json.ts";
import type { FinishReason } from "../../core/stream-event.ts";

/**
 * Converse's stop reasons. `failed` marks the reasons that mean that there is no answer: the model made something that
 * the vendor could not use.
 */
const REASONS = new Map<string, FinishReason | "failed">(
  Object.entries({
    end_turn: "stop",
    stop_sequence: "stop",
    tool_use: "tool-calls",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    content_filtered: "content-filter",
    guardrail_intervened: "content-filter",
    refusal: "refusal",
    malformed_model_output: "failed",
    malformed_tool_use: "failed",
  }),
);

export function finishReason(word: string): FinishReason | "failed" {
  return REASONS.get(word) ?? "stop";
}

/** The stop sequence that matched, from the maker's fields beside the common shape. */
export function stopSequence(fields: unknown): string | null {
  if (!isObject(fields)) return null;
  const holder = isObject(fields.delta) ? fields.delta : fields;
  return typeof holder.stop_sequence === "string" ? holder.stop_sequence : null;
}
