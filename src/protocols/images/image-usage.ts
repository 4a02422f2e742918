import type { AnswerReport } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { sayingOf } from "../../core/money/price-variant.ts";
import { isPlausibleCount, NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import { styleAExtra } from "../shared/rare-usage.ts";

/**
 * A vendor's usage of images in disjoint classes. Output without details counts as images: vendors name the part of it that is text
 * (docs/rulings.md 223). Null for a usage that cannot be believed, or that counts no output although there are images.
 */
export function readImageUsage(raw: JsonRecord): Usage | null {
  const { input_tokens, output_tokens } = raw;
  const input_details = isObject(raw.input_tokens_details) ? raw.input_tokens_details : {};
  const output_details = isObject(raw.output_tokens_details) ? raw.output_tokens_details : {};
  const { cached_tokens = 0 } = input_details;
  const { reasoning_tokens = 0 } = output_details;
  if (!isPlausibleCount(input_tokens) || !isPlausibleCount(output_tokens) || output_tokens === 0) return null;
  if (!isPlausibleCount(cached_tokens) || cached_tokens > input_tokens) return null;
  if (!isPlausibleCount(reasoning_tokens) || reasoning_tokens > output_tokens) return null;
  const usage = {
    input_tokens: input_tokens - cached_tokens,
    cache_read_tokens: cached_tokens,
    cache_write_tokens: 0,
    output_tokens,
    reasoning_tokens,
  };
  const told_apart = isPlausibleCount(output_details.image_tokens) && output_details.image_tokens > 0;
  return styleAExtra(usage, {
    ...{ raw, known: KNOWN, input_details, writes: null },
    output_details: told_apart ? output_details : { image_tokens: output_tokens - reasoning_tokens },
  });
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details"],
]);

export function writeImageUsage(usage: Usage) {
  const input_tokens = totalInput(usage);
  const { output_tokens, reasoning_tokens, extra } = usage;
  const of_input = (extra?.parts?.input_image ?? 0) + (extra?.parts?.cache_read_image ?? 0);
  const of_output = extra?.parts?.output_image ?? 0;
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_tokens_details: {
      text_tokens: input_tokens - of_input,
      image_tokens: of_input,
      ...(usage.cache_read_tokens > 0 && { cached_tokens: usage.cache_read_tokens }),
    },
    output_tokens_details: {
      text_tokens: output_tokens - of_output,
      image_tokens: of_output,
      ...(reasoning_tokens > 0 && { reasoning_tokens }),
    },
  };
}

/** What was asked for, as far as an answer is counted by it. */
export interface AskedSizes {
  readonly size?: unknown;
  readonly quality?: unknown;
  /** Whether the price is by the image. */
  readonly by_images: boolean;
  /** Whether the model is free: then nothing is estimated for a vendor that does not count. */
  readonly is_free: boolean;
}

/** The images of an answer, and what its vendor says of them. */
export interface Drawn {
  readonly images: number;
  readonly size: unknown;
  readonly quality: unknown;
  /** The vendor's count; null for none that can be believed. */
  readonly told: Usage | null;
}

/** What an answer is charged by, as far as it is known. */
export type CountedImages = Pick<AnswerReport, "usage" | "output_media">;

/**
 * The count of an answer's images. With a price by tokens: the vendor's tokens, and the usual tokens of such images where it tells none that
 * can be believed. With a price by the image: their number, size and quality, as asked for, else as the vendor says.
 */
export function countImages({ images, size, quality, told }: Drawn, asked: AskedSizes): CountedImages {
  const of_size = sayingOf(asked.size) ?? sayingOf(size);
  const of_quality = sayingOf(asked.quality) ?? sayingOf(quality);
  if (asked.by_images) {
    const image = of_size === null || of_quality === null ? undefined : `${of_size}/${of_quality}`;
    return { usage: { ...(told ?? NO_USAGE), extra: { ...told?.extra, units: { images } }, served: { image } } };
  }
  if (asked.is_free) return { usage: told ?? NO_USAGE };
  return { usage: told, output_media: { part: "output_image", tokens: images * tokensOf(of_size, of_quality) } };
}

/** Tokens of an image of 1,024 × 1,024 by its quality, as OpenAI publishes them. */
const SQUARE_TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160 };
const USUAL_TOKENS = 1056;
const SQUARE_PIXELS = 1024 * 1024;

function tokensOf(size: string | null, quality: string | null): number {
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size ?? "") ?? [];
  const pixels = width === undefined ? SQUARE_PIXELS : Number(width) * Number(height);
  return Math.ceil(((SQUARE_TOKENS[quality ?? ""] ?? USUAL_TOKENS) * pixels) / SQUARE_PIXELS);
}
