import type { Usage } from "../money/usage.ts";
import type { Opaque } from "./generation.ts";
import type { BlockKind, FinishReason, TokenLogprob } from "./stream-event.ts";

/** A finished content block of an answer. */
export type AnswerBlock = BlockKind & {
  /** The text, refusal, reasoning, a function's arguments as JSON text, or a custom tool's input. */
  readonly text: string;
  readonly opaque?: Opaque;
  readonly logprobs?: readonly TokenLogprob[];
};

/** An answer assembled from its events: what a non-streamed answer is written from. */
export interface AssembledAnswer {
  /** The vendor's id of the answer, where it has one. */
  readonly id: string | null;
  /** Unix seconds, where the vendor says. */
  readonly created: number | null;
  readonly blocks: readonly AnswerBlock[];
  readonly reason: FinishReason;
  readonly stop_sequence: string | null;
  readonly raw_reason: string | null;
  /** Null when the vendor sent no believable usage and none is billed yet. */
  readonly usage: Usage | null;
  /** The value of the usage's `cost`, where that is shown (docs/rulings.md 169). */
  readonly cost?: string | undefined;
}
