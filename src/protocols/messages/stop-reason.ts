import type { FinishReason } from "../../core/stream-event.ts";

/** The members that end a message, on the wire. */
export interface WireStop {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: {
    readonly type: "refusal";
    readonly category: null;
    readonly explanation: string | null;
  } | null;
}

/**
 * The members for an answer's end (docs/rulings.md 6, 14c). `refusal` is the text of a refusal in the answer, null
 * where there is none.
 */
export function writeStop(reason: FinishReason, stop_sequence: string | null, refusal: string | null): WireStop {
  const stop_reason = stopReason(reason, stop_sequence, refusal);
  const details = { type: "refusal", category: null, explanation: refusal } as const;
  return {
    stop_reason,
    stop_sequence: stop_reason === "stop_sequence" ? stop_sequence : null,
    stop_details: stop_reason === "refusal" ? details : null,
  };
}

function stopReason(reason: FinishReason, stop_sequence: string | null, refusal: string | null): string {
  switch (reason) {
    case "stop":
      if (refusal !== null) return "refusal";
      return stop_sequence === null ? "end_turn" : "stop_sequence";
    case "length":
      return "max_tokens";
    case "tool-calls":
      return "tool_use";
    case "content-filter":
    case "refusal":
      return "refusal";
  }
}

/** Stop reasons with which a call of a tool may wait for no result: the message was cut, paused or refused. */
const WITHOUT_CALLS: ReadonlySet<unknown> = new Set([
  ...["tool_use", "max_tokens", "model_context_window_exceeded", "pause_turn", "refusal"],
]);

/** Whether a vendor's stop reason hides the calls of tools in its message: these end in `tool_use` (docs/rulings.md 6). */
export function hidesCalls(stop_reason: unknown): boolean {
  return typeof stop_reason === "string" && !WITHOUT_CALLS.has(stop_reason);
}
