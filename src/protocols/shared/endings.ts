import type { VendorFailure, WholeAnswer } from "../../core/answer/exchange.ts";
import type { FinishReason } from "../../core/answer/stream-event.ts";

/** The meaning of a vendor's word for an answer's end; `failed` where the vendor itself broke off. */
export type Ending = FinishReason | "failed";

/**
 * The words with which public vendors end an answer, in small letters, whatever their protocol: vendors use each other's
 * words in the protocols that they serve (docs/rulings.md 172). A paused turn, a full context and a compaction are not the
 * end of what there is to say, and count as cut.
 */
const WORDS: Readonly<Record<Ending, readonly string[]>> = {
  stop: [
    ...["stop", "end_turn", "stop_sequence", "eos", "eos_token", "end_of_turn", "complete", "completed"],
    ...["finish", "finished"],
  ],
  length: [
    ...["length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit", "error_limit"],
    ...["model_context_window_exceeded", "pause_turn", "compaction", "repetition", "incomplete"],
  ],
  "tool-calls": ["tool_calls", "tool_call", "tool_use", "function_call"],
  "content-filter": [
    ...["content_filter", "content_filtered", "sensitive", "guardrail_intervened", "error_toxic", "model_armor"],
    ...["safety", "recitation", "language", "blocklist", "prohibited_content", "spii"],
    ...["image_safety", "image_prohibited_content", "image_recitation"],
  ],
  refusal: ["refusal"],
  failed: [
    ...["error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled", "canceled"],
    ...["user_cancel", "timeout", "time_limit", "malformed_function_call", "malformed_response"],
    ...["malformed_model_output", "malformed_tool_use", "unexpected_tool_call", "too_many_tool_calls"],
    ...["missing_thought_signature"],
  ],
};

const ENDINGS: ReadonlyMap<string, Ending> = new Map(
  (Object.keys(WORDS) as Ending[]).flatMap((ending) => WORDS[ending].map((word) => [word, ending] as const)),
);

/**
 * Reads a vendor's word for an answer's end. A word that is in no table is not known to be a good end: the answer counts as
 * cut, and as failed where it has nothing.
 */
export function readEnding(word: string, has_content: boolean): Ending {
  return ENDINGS.get(word.toLowerCase()) ?? (has_content ? "length" : "failed");
}

/** The meaning of a word that is in the table; undefined for others. */
export function knownEnding(word: string): Ending | undefined {
  return ENDINGS.get(word.toLowerCase());
}

/** How much of a vendor's word is repeated. */
const MOST_SHOWN = 64;

/** The failure of an answer that its vendor ended with such a word; `explanation` is the vendor's own sentence, if any. */
export function endedWith(word: string, explanation: unknown = null): VendorFailure {
  const said = typeof explanation === "string" ? `: ${explanation}` : ".";
  return invalidAnswer(`The model service ended the answer with ${word.slice(0, MOST_SHOWN)}${said}`);
}

/** The failure of an answer that otherwise ended well, whose call has only the beginning of its arguments. */
export const HALF_CALL: VendorFailure = invalidAnswer(
  "The model service ended the answer within the arguments of a tool call.",
);

export function invalidAnswer(message: string): VendorFailure {
  return { status: 502, message, retry_after_ms: null };
}

/** A whole answer that is none: nothing of it is shown or billed. */
export function failedAnswer(failure: VendorFailure): WholeAnswer {
  return {
    ...{ usage: null, rejected_usage: null, output_bytes: 0, output_sample: "" },
    ...{ has_content: false, failure, body: "" },
  };
}
