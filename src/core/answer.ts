import type { Opaque } from "./generation.ts";
import type { BlockKind, FinishReason, TokenLogprob } from "./stream-event.ts";
import type { Usage } from "./usage.ts";

/** A block of an answer, whole. */
export type AnswerBlock = BlockKind & {
  /** The text, refusal, reasoning, a function's arguments as JSON text, or a custom tool's input. */
  readonly text: string;
  readonly opaque?: Opaque;
  readonly logprobs?: readonly TokenLogprob[];
};

/** What the events of an answer come to: the fold of the stream, and what a non-streamed answer is written from. */
export interface AssembledAnswer {
  /** The vendor's id of the answer, where it has one. */
  readonly id: string | null;
  /** Unix seconds, where the vendor says. */
  readonly created: number | null;
  readonly blocks: readonly AnswerBlock[];
  readonly reason: FinishReason;
  readonly stop_sequence: string | null;
  readonly raw_reason: string | null;
  /** Null when the vendor sent none that can be believed and none is billed yet. */
  readonly usage: Usage | null;
}
