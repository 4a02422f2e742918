import type { Usage } from "../money/usage.ts";
import type { Opaque } from "./generation.ts";

/**
 * An answer as events: the one internal form of everything that a model generates. Blocks have consecutive indexes from
 * 0, never overlap, and each ends before the next starts; exactly one `finish` or `error` comes last.
 */
export type StreamEvent = StartEvent | BlockStart | BlockDelta | BlockEnd | FinishEvent | ErrorEvent;

export interface StartEvent {
  readonly type: "start";
  /** The vendor's id of the answer, where it has one. */
  readonly id: string | null;
  /** Unix seconds, where the vendor says. */
  readonly created: number | null;
  /** Input usage, where the vendor reports it at the start. */
  readonly usage: Usage | null;
}

export type BlockKind =
  | { readonly kind: "text" }
  | { readonly kind: "refusal" }
  | { readonly kind: "reasoning" }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string; readonly tool: "function" | "custom" };

export interface BlockStart {
  readonly type: "block-start";
  readonly index: number;
  readonly block: BlockKind;
  /** The vendor's signature of a call, where it is known already; the block's end has it in any case. */
  readonly opaque?: Opaque;
}

/** Log-probability of a token that might have been generated, in style A's shape: finite and not above 0. */
export interface AlternativeLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
}

/** Log-probability of a generated token, in style A's shape. */
export interface TokenLogprob {
  readonly token: string;
  /** Finite and not above 0; null where the vendor sent none (docs/rulings.md 157). */
  readonly logprob: number | null;
  readonly bytes: readonly number[] | null;
  readonly top_logprobs: readonly AlternativeLogprob[];
}

export interface BlockDelta {
  readonly type: "block-delta";
  readonly index: number;
  /** More of the block's text, refusal, reasoning or arguments; empty where only the other fields are set. */
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[];
}

export interface BlockEnd {
  readonly type: "block-end";
  readonly index: number;
  /** The vendor's signature or encrypted content of this block: reasoning, a signed tool call or a signed text. */
  readonly opaque?: Opaque;
}

/** Why an answer ended, in the same words for every vendor. `tool-calls` is derived from the blocks alone. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "refusal";

export interface FinishEvent {
  readonly type: "finish";
  readonly reason: FinishReason;
  /** The stop sequence that matched, where the vendor names it. */
  readonly stop_sequence: string | null;
  /** The vendor's own value. */
  readonly raw_reason: string | null;
  /** Null when the vendor sent no usage that can be believed. */
  readonly usage: Usage | null;
  /** The value of the usage's `cost` for the client, where that is shown (docs/rulings.md 169). No vendor's decoder sets it. */
  readonly cost?: string | undefined;
}

export interface ErrorEvent {
  readonly type: "error";
  /** The HTTP status that the vendor gave or that its error type stands for. */
  readonly status: number;
  readonly message: string;
  readonly retry_after_ms: number | null;
}
