import type { VendorFailure } from "../../core/answer/exchange.ts";
import { normalizeDataLines } from "./data-lines.ts";
import { bareObject, eventData, joinFrames, leadingEventName, nameFrame } from "./event-frames.ts";
import { SseFrames } from "./sse-frames.ts";

/** Returns the bytes that the client gets for a frame now, or null for none. */
export type TakeFrame = (name: string, frame: Buffer) => Buffer | null;

/** Cuts a stream of named events into frames, and asks `TakeFrame` what the client gets for each. */
export class NamedFrames {
  readonly #frames = new SseFrames();
  readonly #takeNamed: TakeFrame;

  constructor(take: TakeFrame) {
    this.#takeNamed = take;
  }

  /** What cannot be read, as the vendor's failure; null while all can. */
  get fault(): VendorFailure | null {
    return this.#frames.fault;
  }

  /** Takes the vendor's next bytes; returns the bytes that the client gets now. */
  push(chunk: Uint8Array): Buffer {
    this.#frames.feed(chunk);
    const out: Buffer[] = [];
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      const sent = this.#take(frame);
      if (sent !== null) out.push(sent);
    }
    return joinFrames(out);
  }

  /** A last frame without its blank line counts if its data is whole. */
  end(): Buffer {
    const frame = this.#frames.end();
    const sent = frame === null || (eventData(frame) ?? bareObject(frame)) === null ? null : this.#take(frame);
    return joinFrames(sent === null ? [] : [sent]);
  }

  #take(frame: Buffer): Buffer | null {
    const name = leadingEventName(frame);
    if (name !== "") return this.#takeNamed(name, normalizeDataLines(frame));
    const named = nameFrame(frame);
    // A frame that is no event, such as a comment, `[DONE]` or a web page, has no meaning for clients and is dropped.
    return named.name === "" ? null : this.#takeNamed(named.name, normalizeDataLines(named.bytes));
  }
}
