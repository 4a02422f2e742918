import type { StreamDecoder } from "../../core/codec.ts";
import { isObject } from "../../core/json.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import type { Usage } from "../../core/usage.ts";
import { bareObject, eventData, leadingEventName } from "../shared/event-frames.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { AnswerReader, INPUT } from "./answer-reader.ts";
import { wholeAsEvents } from "./whole-as-events.ts";

/** Reads a messages stream into events. Frames that are no events (comments, `[DONE]`, a web page) are skipped. */
export class MessagesDecoder implements StreamDecoder {
  readonly #frames = new SseFrames();
  readonly #reader = new AnswerReader();

  push(chunk: Uint8Array): readonly StreamEvent[] {
    const out: StreamEvent[] = [];
    if (this.#reader.over) return out;
    this.#frames.feed(chunk);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) this.#take(frame, out);
    this.#failAtFault(out);
    return out;
  }

  end(): readonly StreamEvent[] {
    const out: StreamEvent[] = [];
    const last = this.#frames.end();
    // A last frame that was cut in the middle is dropped.
    if (last !== null && (eventData(last) ?? bareObject(last)) !== null) this.#take(last, out);
    this.#failAtFault(out);
    if (this.#reader.complete && !this.#reader.over) this.#reader.finish(out);
    return out;
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get rejected_usage(): unknown {
    return this.#reader.rejected_usage;
  }

  #failAtFault(out: StreamEvent[]): void {
    if (this.#frames.fault !== null && !this.#reader.over) this.#reader.fail(this.#frames.fault, out);
  }

  #take(frame: Buffer, out: StreamEvent[]): void {
    const data = eventData(frame, INPUT);
    const bare = data === null ? bareObject(frame, INPUT) : null;
    if (bare !== null) this.#takeBare(bare, out);
    else if (data !== null) {
      const type = typeof data.type === "string" ? data.type : leadingEventName(frame);
      this.#reader.take(type, data, out);
    } else if (leadingEventName(frame) !== "" && !this.#reader.over) this.#reader.fail(UNREADABLE, out);
  }

  /** Takes JSON in place of a stream: a message, or an error. */
  #takeBare(bare: Record<string, unknown>, out: StreamEvent[]): void {
    if (bare.type === "message") for (const event of wholeAsEvents(bare)) this.#reader.take(event.type, event, out);
    else if (isObject(bare.error)) this.#reader.take("error", bare, out);
  }
}

/** An answer with an unreadable event fails, so that it is never taken for a whole answer. */
const UNREADABLE = {
  status: 502,
  message: "The model service sent an event that cannot be read.",
  retry_after_ms: null,
};
