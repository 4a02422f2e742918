import type { StreamDecoder } from "../../core/answer/codec.ts";
import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import type { Usage } from "../../core/money/usage.ts";

/** The neutral events of a vendor's answer, as its reader finds them, and what is told of its usage. */
export abstract class AnswerEvents {
  abstract readonly usage: Usage | null;
  abstract readonly rejected_usage: unknown;
  /** Set when the answer has ended or failed: what comes later is not read. */
  is_over = false;
  protected events: StreamEvent[] = [];

  /** The events since the last call. */
  drain(): readonly StreamEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  /** Ends the answer with a failure. */
  fail({ status, message, retry_after_ms }: VendorFailure): void {
    this.is_over = true;
    this.events.push({ type: "error", status, message, retry_after_ms });
  }
}

/** Cuts a stream's bytes into frames. */
interface Frames<Frame> {
  feed(chunk: Uint8Array): void;
  /** The next whole frame, or null until more bytes come, and behind a fault. */
  next(): Frame | null;
  /** The last frame, where the stream ends within one that may be whole. */
  end(): Frame | null;
  readonly fault: VendorFailure | null;
}

/** Decodes a vendor's stream, frame by frame, until the reader of its events has the answer's end. */
export abstract class EventDecoder<Reader extends AnswerEvents, Frame = Buffer> implements StreamDecoder {
  protected readonly reader: Reader;
  readonly #frames: Frames<Frame>;

  constructor(reader: Reader, frames: Frames<Frame>) {
    this.reader = reader;
    this.#frames = frames;
  }

  get usage(): Usage | null {
    return this.reader.usage;
  }

  get rejected_usage(): unknown {
    return this.reader.rejected_usage;
  }

  push(chunk: Uint8Array): readonly StreamEvent[] {
    if (this.reader.is_over) return [];
    this.#frames.feed(chunk);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      this.take(frame);
      if (this.reader.is_over) break;
    }
    this.#failAtFault();
    return this.reader.drain();
  }

  /** A last frame without its blank line may still complete the answer. */
  end(): readonly StreamEvent[] {
    if (this.reader.is_over) return [];
    const frame = this.#frames.end();
    if (frame !== null) this.takeLast(frame);
    this.#failAtFault();
    if (!this.reader.is_over) this.close();
    return this.reader.drain();
  }

  #failAtFault(): void {
    if (this.#frames.fault !== null && !this.reader.is_over) this.reader.fail(this.#frames.fault);
  }

  protected abstract take(frame: Frame): void;

  /** Takes a frame that the stream's end may have cut off. */
  protected takeLast(frame: Frame): void {
    this.take(frame);
  }

  /** The stream is closed, without the event that ends an answer. */
  protected close(): void {}
}
