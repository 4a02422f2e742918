import type { FinishReason } from "../../core/answer/stream-event.ts";

/** The properties of an answer that its finish reason depends on. */
export interface FinishContext {
  readonly has_refusal: boolean;
  readonly has_calls: boolean;
  /** The call is a `function_call`, in the form before `tool_calls`. */
  readonly is_old: boolean;
}

/**
 * The finish reason for the client. A refusal with text ends like any other answer; a refusal without text was
 * filtered (docs/rulings.md 76).
 */
export function showFinishReason(reason: FinishReason, { has_refusal, has_calls, is_old }: FinishContext): string {
  switch (reason) {
    case "stop":
    case "length":
      return reason;
    case "tool-calls":
      return is_old ? "function_call" : "tool_calls";
    case "content-filter":
      return "content_filter";
    case "refusal":
      return has_refusal && !has_calls ? "stop" : "content_filter";
  }
}
