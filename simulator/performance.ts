import type { DecisionAnswer } from "./decisions/decision.ts";
import type { TokenLogprob } from "./judge/token-distribution.ts";

/** The content of an answer in a form common to all protocols; each protocol writes it in its own shape. */
export interface Performance {
  readonly reasoning: Reasoning | null;
  readonly blocks: readonly Block[];
  readonly finish: Finish;
  /** The stop sequence that ended the answer; null otherwise. */
  readonly stop_sequence: string | null;
  readonly usage: SimulatedUsage;
  readonly usage_reporting: UsageReporting;
  /** A decision model's answers, one for each question, in place of blocks. */
  readonly answers?: readonly DecisionAnswer[];
}

export interface Reasoning {
  readonly pieces: readonly string[];
  /**
   * The seal of the text, like a vendor's signature or encrypted form; clients must send text and seal back unchanged.
   */
  readonly seal: string;
  /** Whether only the seal is sent, without the text (messages: redacted thinking). */
  readonly redacted: boolean;
}

export type Block =
  | {
      readonly type: "text";
      readonly pieces: readonly string[];
      /** The alternatives to each piece; "none" when the model has no log-probabilities. */
      readonly logprobs?: readonly PieceLogprobs[] | "none";
    }
  | { readonly type: "refusal"; readonly pieces: readonly string[] }
  | ToolCall;

/** A piece as a token, with the likeliest tokens in its place. */
export interface PieceLogprobs {
  readonly chosen: TokenLogprob;
  readonly top: readonly TokenLogprob[];
}

export interface ToolCall {
  readonly type: "tool_call";
  readonly name: string;
  /** The arguments' JSON text, or a custom tool's free text, in the pieces of the stream. */
  readonly pieces: readonly string[];
  readonly custom: boolean;
}

export type Finish = "stop" | "stop_sequence" | "length" | "tool_calls" | "refusal" | "content_filter";

/** Token counts in disjoint classes; `reasoning` is part of `output`. */
export interface SimulatedUsage {
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
}

interface UsageReporting {
  /** Whether the answer has no usage. */
  readonly omitted: boolean;
  /** Whether a preliminary usage, with other numbers than the last, is sent before the content. */
  readonly early: boolean;
  /** Whether the input is reported at the beginning and only the output at the end (messages). */
  readonly split: boolean;
  /**
   * Replaces each count by a wrong value when usage is written, by its name in the protocol; null for true counts.
   */
  readonly distort: ((count: number, name: string) => unknown) | null;
}

export const HONEST: UsageReporting = { omitted: false, early: false, split: false, distort: null };

/** The usage object to send, with the distortion applied to every count. */
export function reportUsage<Wire extends object>(wire: Wire, reporting: UsageReporting): unknown {
  const { distort } = reporting;
  if (distort === null) return wire;
  return JSON.parse(JSON.stringify(wire), (name, value: unknown) =>
    typeof value === "number" ? distort(value, name) : value,
  );
}

/** A text as the pieces of a stream: one per word, white space kept. */
export function words(text: string): string[] {
  return text.match(/\s*\S+\s*?(?=\s\S|$)|\s+/gu) ?? [];
}

/** A text as pieces of this many characters, for JSON, which has no words. Surrogate pairs are not split. */
export function slices(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
}
