import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { FinishReason } from "../../core/answer/stream-event.ts";
import { endedWith, HALF_CALL, knownEnding } from "../shared/endings.ts";

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
function hidesCalls(stop_reason: unknown): boolean {
  return typeof stop_reason === "string" && !WITHOUT_CALLS.has(stop_reason);
}

const OWN_WORDS: ReadonlySet<string> = new Set([
  ...["end_turn", "stop_sequence", "max_tokens", "tool_use", "refusal", "pause_turn", "compaction"],
  "model_context_window_exceeded",
]);

/** The content of a relayed message, as far as its stop reason depends on it. */
export interface HeldContent {
  readonly has_calls: boolean;
  /** Whether a call has only the beginning of its arguments. */
  readonly has_half: boolean;
}

/**
 * The stop reason that the client of a relayed message gets: the vendor's own, but for the words of other protocols and where it hides calls
 * (docs/rulings.md 6). Unknown words pass, as the list of reasons is open. Null means that the vendor gave no reason: then the content decides.
 */
export function relayedStop(told: unknown, { has_calls, has_half }: HeldContent): string | VendorFailure {
  const word = typeof told === "string" && told !== "" ? told : "end_turn";
  const ending = knownEnding(word);
  if (ending === "failed") return endedWith(word);
  const is_good = ending === "stop" || ending === "tool-calls";
  if (is_good && has_half) return HALF_CALL;
  if (has_calls && hidesCalls(word) && ending !== "length" && ending !== "content-filter") return "tool_use";
  return ending === undefined || OWN_WORDS.has(word) ? word : stopReason(ending, null, null);
}
