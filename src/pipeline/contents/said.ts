import type { ContentFacts } from "../../core/answer/contents.ts";
import type { SentBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { ContentMasker } from "./mask-text.ts";

/** What a request said, when it has ended: references to what is in memory, not copied. */
export interface Said extends ContentFacts {
  readonly account_id: string;
  /** The end user's id, which is kept as a keyed hash alone. */
  readonly user: string | null;
  readonly vendor: string | null;
  readonly upstream_model: string | null;
  readonly stream: boolean;
  readonly error: string | null;
  /** What went to the vendor that was asked last, or what the client sent where none was; null where it is not held here. */
  readonly sent: SentBody | readonly Uint8Array[] | null;
  /** What came back to the client; null where nothing did, or where it was too large to be held. */
  readonly answer: SentBody | null;
  readonly content_type: string | null;
  /** Makes the whole answer of a streamed one; null where that cannot be done. */
  readonly toWhole: ((stream: Uint8Array) => Uint8Array | null) | null;
}

/** Why a side of a request is not among what was kept. */
export type LeftOut = "large" | "bytes" | "not_maskable";

/** What is kept, as it lies under the encryption. */
export interface KeptContent {
  readonly stream: boolean;
  readonly error: string | null;
  readonly vendor: string | null;
  readonly upstream_model: string | null;
  readonly content_type: string | null;
  readonly sent: string | null;
  readonly answer: string | null;
  readonly left_out: { readonly sent?: LeftOut; readonly answer?: LeftOut };
}

/** A side that is longer is left out. */
export const MOST_SIDE_BYTES = 2 ** 20;

/** Reads and masks both sides. What cannot be masked for certain is left out, and said to be. */
export function maskedContent(said: Said, masker: ContentMasker): KeptContent {
  const { stream, error, vendor, upstream_model, content_type } = said;
  const sent = sentText(said.sent);
  const answer = answerText(said, masker);
  return {
    ...{ stream, error, vendor, upstream_model, content_type },
    sent: sent === null ? null : masker.text(sent),
    answer: typeof answer === "string" ? masker.text(answer) : null,
    left_out: {
      ...(sent === null && { sent: "large" as const }),
      ...(typeof answer === "object" && answer !== null && { answer: answer.left_out }),
    },
  };
}

function sentText(sent: Said["sent"]): string | null {
  if (sent === null) return null;
  const text = isPieces(sent) ? Buffer.concat([...sent]).toString("utf8") : textOf(sent);
  return text.length > MOST_SIDE_BYTES ? null : text;
}

function isPieces(sent: NonNullable<Said["sent"]>): sent is readonly Uint8Array[] {
  return Array.isArray(sent) && sent[0] instanceof Uint8Array;
}

function answerText(
  { answer, content_type, error, toWhole }: Said,
  masker: ContentMasker,
): string | null | { readonly left_out: LeftOut } {
  if (answer === null) return error === null ? { left_out: "large" } : null;
  if (content_type !== null && !/json|text\//.test(content_type)) return { left_out: "bytes" };
  if (content_type === null || !content_type.startsWith("text/event-stream")) return bounded(textOf(answer));
  const whole = toWhole === null ? null : toWhole(Buffer.from(textOf(answer)));
  if (whole !== null) return bounded(Buffer.from(whole).toString("utf8"));
  // An address may stand in two pieces of a stream, where no mask finds it.
  return masker.isNeeded ? { left_out: "not_maskable" } : bounded(textOf(answer));
}

function bounded(text: string): string | { readonly left_out: LeftOut } {
  return text.length > MOST_SIDE_BYTES ? { left_out: "large" } : text;
}
