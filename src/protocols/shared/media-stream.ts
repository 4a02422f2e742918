import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { Usage } from "../../core/money/usage.ts";
import { takeFrames } from "./event-frames.ts";
import { SseFrames } from "./sse-frames.ts";

const NOTHING: Uint8Array = new Uint8Array(0);

/** What streams of images and sound have in common: they are never cut, and those without text have none to be estimated by. */
export abstract class MediaStream {
  rejected_usage: unknown = null;
  has_content = false;
  failure: VendorFailure | null = null;
  complete = false;
  terminated = false;
  output_bytes = 0;
  output_sample = "";

  abstract finish(billed?: Usage, cost?: string): Uint8Array;

  /** Never asked for: the hold covers all that can be made. */
  cut(usage: Usage, cost?: string): Uint8Array {
    return this.finish(usage, cost);
  }
}

/** The first bytes of JSON and of a page: no event begins so, and no format of sound. */
export const TEXT_STARTS: ReadonlySet<number> = new Set([0x7b, 0x3c]);

interface TextBounds {
  readonly most_event_bytes?: number;
  readonly most_text_bytes: number;
  /** The failure of a longer text. */
  readonly too_large: VendorFailure;
  /** Whether the vendor never sends events. */
  readonly is_text?: boolean;
}

/** A stream of events, in whose place some vendors answer with one piece of JSON, which is read at its end. */
export abstract class EventsOrText extends MediaStream {
  readonly #bounds: TextBounds;
  readonly #frames: SseFrames;
  #text: Buffer[] | null;
  #text_bytes = 0;
  #has_begun = false;

  constructor(bounds: TextBounds) {
    super();
    this.#bounds = bounds;
    this.#frames = new SseFrames(bounds.most_event_bytes);
    this.#text = bounds.is_text === true ? [] : null;
  }

  /** Returns the bytes that the client gets for an event now; null for none. */
  protected abstract takeFrame(frame: Buffer): Buffer | null;

  /** The same for the text in place of all events. */
  protected abstract takeText(text: string): Uint8Array;

  push(chunk: Uint8Array): Uint8Array {
    if (this.terminated || this.failure !== null || chunk.byteLength === 0) return NOTHING;
    if (!this.#has_begun && TEXT_STARTS.has(chunk[0] ?? 0)) this.#text ??= [];
    this.#has_begun = true;
    if (this.#text === null) {
      this.#frames.feed(chunk);
      return takeFrames(this, this.#frames, (frame) => this.takeFrame(frame));
    }
    this.#text_bytes += chunk.byteLength;
    if (this.#text_bytes > this.#bounds.most_text_bytes) this.failure = this.#bounds.too_large;
    else this.#text.push(Buffer.from(chunk));
    return NOTHING;
  }

  end(): Uint8Array {
    if (this.terminated || this.failure !== null) return NOTHING;
    if (this.#text !== null) return this.takeText(Buffer.concat(this.#text.splice(0)).toString());
    const frame = this.#frames.end();
    return (frame === null ? null : this.takeFrame(frame)) ?? NOTHING;
  }
}
