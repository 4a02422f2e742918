import type { Call } from "./question.ts";
import type { Fields } from "./read-fields.ts";

/** Why an answer ended, in terms common to all styles. `broken` is a stream that sent an error after it had begun. */
export type End = "stop" | "length" | "tool_calls" | "filter" | "refusal" | "broken";

/** Token counts in disjoint classes, converted from the style's own way of counting. */
export interface Usage {
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  /** Null when the style counts them among `input_tokens`. */
  readonly cache_write_tokens: number | null;
  readonly output_tokens: number;
  /** Null when the style does not report reasoning tokens. */
  readonly reasoning_tokens: number | null;
}

/** An answer as its client understands it. */
export interface Answer {
  readonly model: string;
  readonly text: string;
  readonly refusal: string;
  /** The visible text of the reasoning. */
  readonly reasoning: string;
  /** The number of signed or encrypted values in the answer. */
  readonly seals: number;
  readonly calls: readonly Call[];
  readonly end: End;
  readonly stop_sequence: string | null;
  readonly usage: Usage | null;
  /** The number of tokens with log-probabilities. */
  readonly logprobs: number;
  readonly choices: number;
  /** The parts of the answer that the client keeps and sends back with the next turn, in its own style. */
  readonly native: readonly Fields[];
}

/** The empty answer that stands for a stream that ended with an error. */
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
