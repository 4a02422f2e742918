import type { OutputMedia, StreamAnswer } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { laterUsage, NO_USAGE, sameCounts, type Usage } from "../../core/money/usage.ts";
import { normalizeDataLines } from "../shared/data-lines.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { styleAError } from "../shared/error-styles.ts";
import { eventData, eventFrame, joinFrames, leadingEventName } from "../shared/event-frames.ts";
import { EventsOrText } from "../shared/media-stream.ts";
import { withoutVendorCosts, withUsage } from "../shared/usage-event.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { type CountedImages, countImages, readImageUsage, writeImageUsage } from "./image-usage.ts";
import { type AskedImages, type PublicAnswer, parseImages } from "./read-images.ts";

const NOTHING: Uint8Array = new Uint8Array(0);
const NOTHING_COUNTED: CountedImages = { usage: null };
/** The most bytes of an event, which has a whole image in base64: enough for 4,096 × 4,096 pixels. */
const MOST_EVENT_BYTES = 64 * 2 ** 20;
const TOO_LARGE = invalidAnswer("The model service sent more than is read at once.");
/** Tokens of an image on its way, as OpenAI counts them. */
const PARTIAL_TOKENS = 100;

/** An event that is held back because it may be the last, which gets the cost: that is known after the settlement. */
interface HeldImageEvent {
  readonly frame: Buffer;
  readonly data: JsonRecord;
}

/**
 * A vendor's images on their way to the client: its own events, or, where a vendor answers in one piece of JSON, the events that this
 * stands for. The last image is held back until the charge is durable.
 */
export class ImageStream extends EventsOrText implements StreamAnswer {
  readonly #asked: AskedImages;
  #partial_images = 0;
  #images = 0;
  /** The sum of what the events say. */
  #told: Usage | null = null;
  #last: HeldImageEvent | null = null;

  constructor(asked: AskedImages) {
    const [most_event_bytes, most_text_bytes] = [MOST_EVENT_BYTES, MOST_EVENT_BYTES];
    super({ most_event_bytes, most_text_bytes, too_large: TOO_LARGE, is_text: asked.convert !== undefined });
    this.#asked = asked;
  }

  get usage(): Usage | null {
    return this.#counted().usage;
  }

  get output_media(): OutputMedia | undefined {
    if (this.#images > 0) return this.#counted().output_media;
    const tokens = this.#partial_images * PARTIAL_TOKENS;
    return tokens === 0 || this.#asked.by_images || this.#asked.is_free ? undefined : { part: "output_image", tokens };
  }

  #counted(): CountedImages {
    const { size, quality } = this.#last?.data ?? {};
    const [images, told] = [this.#images, this.#told];
    return images > 0 || this.#asked.by_images
      ? countImages({ images, size, quality, told }, this.#asked)
      : NOTHING_COUNTED;
  }

  override end(): Uint8Array {
    const is_over = this.terminated || this.failure !== null;
    const piece = super.end();
    if (!is_over && this.#images > 0) this.complete = true;
    return piece;
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    if (this.#last === null) return NOTHING;
    const { frame, data } = this.#last;
    const told = this.usage;
    const is_told = isObject(data.usage) && (billed === undefined || (told !== null && sameCounts(billed, told)));
    const usage = is_told ? undefined : writeImageUsage(billed ?? told ?? NO_USAGE);
    return withUsage(frame, { usage, cost }, null, data);
  }

  fail(error: GatewayError): Uint8Array {
    const done = this.#last === null ? [] : [this.#last.frame];
    return joinFrames([...done, eventFrame("error", { type: "error", ...styleAError(error) })]);
  }

  protected takeFrame(frame: Buffer): Buffer | null {
    const name = leadingEventName(frame);
    if (name.endsWith(".partial_image")) return this.#takePartial(frame);
    const data = eventData(frame);
    if (data === null) return null;
    const type = name === "" ? data.type : name;
    if (typeof type === "string" && type.endsWith(".partial_image")) return this.#takePartial(frame);
    if (typeof type === "string" && type.endsWith(".completed")) return this.#takeImage({ frame, data });
    if (isObject(data.error) || type === "error") this.failure = readErrorObject(data);
    return null;
  }

  #takePartial(frame: Buffer): Buffer {
    this.has_content = true;
    this.#partial_images += 1;
    return withoutVendorCosts(normalizeDataLines(frame));
  }

  /** Returns the image before it, which was not the last. */
  #takeImage(event: HeldImageEvent): Buffer | null {
    const before = this.#last;
    // The frame may be a view of bytes that are gone before the charge is durable.
    this.#last = { frame: Buffer.from(event.frame), data: event.data };
    this.has_content = true;
    this.#images += 1;
    const { usage } = event.data;
    const told = isObject(usage) ? readImageUsage(usage) : null;
    if (told !== null) this.#told = this.#told === null ? told : sumOf(this.#told, told);
    else if (isObject(usage)) this.rejected_usage = usage;
    if (this.#images >= this.#asked.count) this.complete = this.terminated = true;
    return before === null ? null : withoutVendorCosts(normalizeDataLines(before.frame));
  }

  protected takeText(text: string): Uint8Array {
    const read = parseImages(text, this.#asked);
    if (!("answer" in read)) {
      this.failure = read;
      return NOTHING;
    }
    const events = eventsOf(read, this.#asked.events);
    const pieces = events.map((data) => this.#takeImage({ frame: eventFrame(String(data.type), data), data }));
    return joinFrames(pieces.filter((piece) => piece !== null));
  }
}

/** The events that a whole answer stands for; its usage is that of the last. */
function eventsOf({ answer, data }: PublicAnswer, events: AskedImages["events"]): JsonRecord[] {
  const { created, size, quality, background, output_format, usage } = answer;
  const common = { created_at: created, size, quality, background, output_format };
  return data.map((image, at) => ({
    type: `${events}.completed`,
    ...image,
    ...common,
    ...(at === data.length - 1 && isObject(usage) && { usage }),
  }));
}

/** Each image of a stream is counted in its own event. */
function sumOf(one: Usage, other: Usage): Usage {
  const merged = laterUsage(one, other);
  const parts: Record<string, number> = { ...one.extra?.parts };
  for (const [name, count] of Object.entries(other.extra?.parts ?? {})) parts[name] = (parts[name] ?? 0) + count;
  return {
    ...merged,
    input_tokens: one.input_tokens + other.input_tokens,
    cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
    ...(merged.extra !== undefined && { extra: { ...merged.extra, parts } }),
  };
}
