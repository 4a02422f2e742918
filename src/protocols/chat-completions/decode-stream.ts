import type { StreamDecoder } from "../../core/codec.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import type { Usage } from "../../core/usage.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { ChunkEvents } from "./chunk-events.ts";
import { DATA_START, isDone, plainData, plainFrame } from "./data-frames.ts";
import { parseChunk } from "./inspect-chunk.ts";

const OPEN_BRACE = 123;

/**
 * Decodes a chat vendor's stream into events. Each frame is parsed once; the usage is final when `[DONE]` has arrived.
 */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #frames = new SseFrames();
  readonly #chunks: ChunkEvents;

  constructor(request: GenerationRequest) {
    this.#chunks = new ChunkEvents(request);
  }

  get usage(): Usage | null {
    return this.#chunks.usage;
  }

  get rejected_usage(): unknown {
    return this.#chunks.rejected_usage;
  }

  push(bytes: Uint8Array): readonly StreamEvent[] {
    if (this.#chunks.is_over) return [];
    this.#frames.feed(bytes);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      this.#take(frame);
      if (this.#chunks.is_over) break;
    }
    this.#failAtFault();
    return this.#chunks.drain();
  }

  /** Streams of vendors that send no `[DONE]` are complete with the finish reason. */
  end(): readonly StreamEvent[] {
    if (this.#chunks.is_over) return [];
    const frame = this.#frames.end();
    if (frame !== null) this.#take(frame);
    this.#failAtFault();
    if (this.#chunks.raw_reason !== null) this.#chunks.finish();
    return this.#chunks.drain();
  }

  #failAtFault(): void {
    if (this.#frames.fault !== null && !this.#chunks.is_over) this.#chunks.fail(this.#frames.fault);
  }

  #take(frame: Buffer): void {
    const plain = plainFrame(frame);
    if (plain === null) return;
    if (plain[DATA_START] === OPEN_BRACE) {
      const chunk = parseChunk(plainData(plain));
      if (chunk !== null) this.#chunks.take(chunk);
    } else if (isDone(plain)) this.#chunks.finish();
    else if (plainData(plain).includes('"error"')) this.#takeErrorArray(plainData(plain));
  }

  /** Google's compatible endpoint reports errors in an array. */
  #takeErrorArray(json: string): void {
    const wrapped = parseChunk(`{"all":${json}}`);
    if (wrapped !== null) this.#chunks.fail(wrapped.all);
  }
}
