import type { StreamDecoder } from "../../core/answer/codec.ts";
import type { OpaqueFamily } from "../../core/answer/generation.ts";
import type { ErrorEvent, StreamEvent } from "../../core/answer/stream-event.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { AnswerReader } from "./answer-reader.ts";
import { type EventFrame, EventFrames } from "./event-frames.ts";
import { readException } from "./read-error.ts";

/** Decodes ConverseStream's events, from `messageStart` to `metadata`, the last event, which brings the usage. */
export class ConverseStreamDecoder implements StreamDecoder {
  readonly #frames = new EventFrames();
  readonly #reader: AnswerReader;

  constructor(signer: OpaqueFamily) {
    this.#reader = new AnswerReader(signer);
  }

  push(chunk: Uint8Array): readonly StreamEvent[] {
    this.#frames.feed(chunk);
    // Bytes behind the end are not read, so that they cannot spoil the answer.
    while (!this.#reader.ended) {
      const frame = this.#frames.next();
      if (frame === null) break;
      this.#take(frame);
    }
    if (this.#frames.fault !== null) this.#reader.fail(this.#frames.fault);
    return this.#reader.drain();
  }

  end(): readonly StreamEvent[] {
    this.#reader.finish();
    return this.#reader.drain();
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get rejected_usage(): unknown {
    return this.#reader.rejected_usage;
  }

  #take({ message_type, name, payload }: EventFrame): void {
    const data = parse(payload);
    if (message_type !== "event") this.#reader.fail(readException(name, data ?? {}));
    else if (data === null) this.#reader.fail(UNREADABLE);
    else this.#takeEvent(name, data);
  }

  #takeEvent(name: string, data: JsonRecord): void {
    const index = typeof data.contentBlockIndex === "number" ? data.contentBlockIndex : 0;
    switch (name) {
      case "contentBlockDelta":
        if (isObject(data.delta)) this.#reader.add(index, data.delta);
        return;
      case "messageStart":
        return this.#reader.start();
      case "contentBlockStart":
        if (isObject(data.start) && isObject(data.start.toolUse)) this.#reader.openTool(index, data.start.toolUse);
        return;
      case "contentBlockStop":
        return this.#reader.close(index);
      case "messageStop":
        return this.#reader.stop(data.stopReason, data.additionalModelResponseFields);
      case "metadata":
        this.#reader.noteUsage(data.usage, data.serviceTier);
        return this.#reader.finish();
    }
  }
}

const UNREADABLE: ErrorEvent = {
  type: "error",
  status: 502,
  message: "The model service sent an event that could not be read.",
  retry_after_ms: null,
};

function parse(payload: Buffer): JsonRecord | null {
  const data = parseOrNull(payload.toString());
  return isObject(data) ? data : null;
}
