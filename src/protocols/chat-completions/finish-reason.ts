import type { FinishReason } from "../../core/stream-event.ts";

/** The public finish reasons, and vendors' other names for them. */
const REASONS = new Map<string, FinishReason>(
  Object.entries({
    stop: "stop",
    length: "length",
    model_length: "length",
    max_tokens: "length",
    tool_calls: "tool-calls",
    function_call: "tool-calls",
    content_filter: "content-filter",
    sensitive: "content-filter",
    refusal: "refusal",
  }),
);

/** Reads a vendor's finish reason. An unknown reason counts as a normal end. */
export function readFinishReason(raw: string, has_refusal: boolean): FinishReason {
  const reason = REASONS.get(raw) ?? "stop";
  return reason === "stop" && has_refusal ? "refusal" : reason;
}

/** The properties of an answer that its finish reason depends on. */
export interface FinishContext {
  readonly has_refusal: boolean;
  readonly has_calls: boolean;
}

/**
 * The finish reason for the client. A refusal with text ends like any other answer; a refusal without text was
 * filtered.
 */
export function showFinishReason(reason: FinishReason, { has_refusal, has_calls }: FinishContext): string {
  switch (reason) {
    case "stop":
    case "length":
      return reason;
    case "tool-calls":
      return "tool_calls";
    case "content-filter":
      return "content_filter";
    case "refusal":
      return has_refusal && !has_calls ? "stop" : "content_filter";
  }
}
