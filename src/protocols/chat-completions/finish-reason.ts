import type { FinishReason } from "../../core/stream-event.ts";

/** The public words, and those that vendors have for the same. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  sensitive: "content-filter",
  refusal: "refusal",
};

/** A vendor's word for why an answer ended. Words that are not known mean that it came to an end by itself. */
export function readFinishReason(raw: string, has_refusal: boolean): FinishReason {
  const reason = REASONS[raw] ?? "stop";
  return reason === "stop" && has_refusal ? "refusal" : reason;
}

/** What an answer says, as far as its last word depends on it. */
export interface Said {
  readonly has_refusal: boolean;
  readonly has_calls: boolean;
}

/** The word for the client. A refusal in words is an answer like any other; one without words was filtered. */
export function showFinishReason(reason: FinishReason, { has_refusal, has_calls }: Said): string {
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
