import type { Call } from "./question.ts";
import type { Fields } from "./read-fields.ts";

/** Why an answer ended, read out of its style. `broken` is a stream that told an error after it had begun. */
export type End = "stop" | "length" | "tool_calls" | "filter" | "refusal" | "broken";

/** Token counts in disjoint classes, whatever way the style counts them. */
export interface Usage {
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  /** Null where the style does not tell. */
  readonly reasoning_tokens: number | null;
}

/** An answer as its client understands it. */
export interface Answer {
  readonly model: string;
  readonly text: string;
  readonly refusal: string;
  /** The visible text of the reasoning. */
  readonly reasoning: string;
  /** How many signed or encrypted values came along. */
  readonly seals: number;
  readonly calls: readonly Call[];
  readonly end: End;
  readonly stop_sequence: string | null;
  readonly usage: Usage | null;
  /** How many tokens have log-probabilities. */
  readonly logprobs: number;
  readonly choices: number;
  /** What the client keeps of the answer and sends again with the next turn. */
  readonly native: readonly Fields[];
}

/** What is left of an answer whose stream broke. */
export function brokenAnswer(model: string): Answer {
  return {
    model,
    text: "",
    refusal: "",
    reasoning: "",
    seals: 0,
    calls: [],
    end: "broken",
    stop_sequence: null,
    usage: null,
    logprobs: 0,
    choices: 1,
    native: [],
  };
}
