import type { StreamDecoder } from "../../core/codec.ts";
import { plainText } from "../../core/json.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import type { Usage } from "../../core/usage.ts";
import { eventData, leadingEventName } from "../shared/event-frames.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { AnswerReader } from "./answer-reader.ts";

/** Events that carry no content, or only content that another event carries too: their data is not parsed. */
const OF_NO_INTEREST = /_part\.|annotation|_call\.|^response\.in_progress$|^keepalive$/;

const NUMBER = /"sequence_number" *: *[1-9]/;

/** Decodes a responses vendor's stream. Each frame is parsed at most once, and only where its event matters. */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #frames = new SseFrames();
  readonly #reader = new AnswerReader();
  #last: Buffer | null = null;

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get rejected_usage(): unknown {
    return this.#reader.rejected_usage;
  }

  push(chunk: Uint8Array): readonly StreamEvent[] {
    if (this.#reader.is_over) return [];
    this.#frames.feed(chunk);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      this.#take(frame);
      if (this.#reader.is_over) break;
    }
    this.#failAtFault();
    return this.#reader.drain();
  }

  /** A last frame without its blank line may still complete the answer. */
  end(): readonly StreamEvent[] {
    const frame = this.#reader.is_over ? null : this.#frames.end();
    if (frame !== null) this.#take(frame);
    this.#failAtFault();
    return this.#reader.drain();
  }

  #failAtFault(): void {
    if (this.#frames.fault !== null && !this.#reader.is_over) this.#reader.fail(this.#frames.fault);
  }

  #take(frame: Buffer): void {
    // Two events never have the same number, but for a vendor that does not count them.
    if (this.#last !== null && frame.equals(this.#last) && NUMBER.test(frame.toString("latin1"))) return;
    this.#last = frame;
    const name = leadingEventName(frame);
    if (name !== "" && OF_NO_INTEREST.test(name)) return;
    const data = eventData(frame);
    // Some vendors put the event's name only in the data.
    if (data !== null) this.#reader.take(name === "" ? plainText(data.type) : name, data);
  }
}
