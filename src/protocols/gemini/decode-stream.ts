import type { StreamDecoder } from "../../core/codec.ts";
import { isObject } from "../../core/json.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import type { Usage } from "../../core/usage.ts";
import { parseExactUnder } from "../shared/exact-json.ts";
import { dataText, SseFrames } from "../shared/sse-frames.ts";
import { AnswerReader, ARGS } from "./answer-reader.ts";

/** Reads `streamGenerateContent?alt=sse`: each event is a response object. It ends without a marker. */
export class GeminiStreamDecoder implements StreamDecoder {
  readonly #frames = new SseFrames();
  readonly #reader = new AnswerReader();

  push(chunk: Uint8Array): readonly StreamEvent[] {
    this.#frames.feed(chunk);
    const events: StreamEvent[] = [];
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      const response = readFrame(frame);
      const is_comment = response === null && dataText(frame) === null;
      if (!is_comment) for (const event of this.#reader.take(response ?? UNREADABLE)) events.push(event);
    }
    return [...events, ...this.#fault()];
  }

  end(): readonly StreamEvent[] {
    const last = this.#frames.end();
    const response = last === null ? null : readFrame(last);
    const events = response === null ? [] : this.#reader.take(response);
    return [...events, ...this.#fault(), ...this.#reader.finish()];
  }

  #fault(): readonly StreamEvent[] {
    const { fault } = this.#frames;
    return fault === null ? [] : this.#reader.take({ error: { code: fault.status, message: fault.message } });
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get rejected_usage(): unknown {
    return this.#reader.rejected_usage;
  }
}

/** The error that ends an answer at an event that cannot be read: without the event the answer would have a gap. */
const UNREADABLE = { error: { code: 502, message: "The model service sent an event that could not be read." } };

/**
 * The frame's object; null for comments and for a frame that was cut off. An error in a stream may come as bare JSON.
 */
function readFrame(frame: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = parseExactUnder(ARGS, dataText(frame) ?? frame.toString());
    const response: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return isObject(response) ? response : null;
  } catch {
    return null;
  }
}
