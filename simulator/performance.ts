import type { DecisionAnswer } from "./decisions/decision.ts";
import type { TokenLogprob } from "./judge/token-distribution.ts";

/** What an answer contains, said once for every protocol: each protocol only gives it its shape. */
export interface Performance {
  readonly reasoning: Reasoning | null;
  readonly blocks: readonly Block[];
  readonly finish: Finish;
  /** The stop sequence that ended the answer; null otherwise. */
  readonly stop_sequence: string | null;
  readonly usage: SimulatedUsage;
  readonly usage_reporting: UsageReporting;
  /** The answers of a decision model, one a question, in place of blocks. */
  readonly answers?: readonly DecisionAnswer[];
}

export interface Reasoning {
  readonly pieces: readonly string[];
  /** Seals the text, as vendors sign or encrypt it; whoever sends it back must not change it. */
  readonly seal: string;
  /** Only the seal is sent, the text is withheld (messages: redacted thinking). */
  readonly redacted: boolean;
}

export type Block =
  | {
      readonly type: "text";
      readonly pieces: readonly string[];
      /** What else might have come in place of each piece; "none" where the model tells no log-probabilities. */
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

export interface UsageReporting {
  /** Usage is left out altogether. */
  readonly omitted: boolean;
  /** A first, preliminary usage is sent before the content, with other numbers than the last. */
  readonly early: boolean;
  /** The input is reported at the beginning and only the output at the end (messages). */
  readonly split: boolean;
  /** Makes nonsense of every count as it is written; null for honest ones. */
  readonly distort: ((count: number) => unknown) | null;
}

export const HONEST: UsageReporting = { omitted: false, early: false, split: false, distort: null };

/** A usage object as it is sent: every count run through the distortion. */
export function reportUsage<Wire extends object>(wire: Wire, reporting: UsageReporting): unknown {
  const { distort } = reporting;
  if (distort === null) return wire;
  return JSON.parse(JSON.stringify(wire), (_key, value: unknown) =>
    typeof value === "number" ? distort(value) : value,
  );
}

/** A text as the pieces of a stream: one per word, white space kept. */
export function words(text: string): string[] {
  return text.match(/\s*\S+\s*?(?=\s\S|$)|\s+/gu) ?? [];
}

/** A text as pieces of so many characters, for JSON, which has no words. Surrogate pairs stay whole. */
export function slices(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
}
