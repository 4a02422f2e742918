import type { VendorFailure } from "../../core/answer/exchange.ts";
import { ContentTape } from "./content-tape.ts";
import { normalizeDataLines } from "./data-lines.ts";
import { bareObject, eventData, leadingEventName, nameFrame, takeFrames } from "./event-frames.ts";
import { SseFrames } from "./sse-frames.ts";
import { type ModelPlace, ModelSwap } from "./swap-model.ts";

const NOTHING: Buffer = Buffer.alloc(0);

/** A frame as clients get it, with what its vendor issues named; the frame itself where it has nothing of that kind. */
export type IssueFrame = (name: string, frame: Buffer, issuer: string) => Buffer;

/** A relayed stream of named events: it is cut into frames, and each is shown by its name. */
export abstract class NamedStream {
  has_content = false;
  failure: VendorFailure | null = null;
  /** All content has been delivered. */
  complete = false;
  /** Whether the event that ends the stream has come. */
  abstract readonly terminated: boolean;
  protected readonly swap: ModelSwap;
  protected readonly tape = new ContentTape();
  readonly #frames = new SseFrames();
  readonly #issue: IssueFrame;
  readonly #issuer: string | null;

  /** `place`: where an answer names its model; `issuer`: the vendor's name where it signs or encrypts its reasoning itself. */
  constructor(model_id: string, place: ModelPlace, issue: IssueFrame, issuer: string | null) {
    this.swap = new ModelSwap(model_id, place);
    this.#issue = issue;
    this.#issuer = issuer;
  }

  get output_bytes(): number {
    return this.tape.bytes;
  }

  get output_sample(): string {
    return this.tape.sample();
  }

  push(chunk: Uint8Array): Buffer {
    if (this.failure !== null || this.terminated) return NOTHING;
    this.#frames.feed(chunk);
    return takeFrames(this, this.#frames, (frame) => this.#takeFrame(frame));
  }

  /** A last frame without its blank line counts if its data is whole. */
  end(): Buffer {
    const frame = this.#frames.end();
    const is_whole = frame !== null && (eventData(frame) ?? bareObject(frame)) !== null;
    const sent = is_whole ? this.#takeFrame(frame) : null;
    if (!this.terminated) this.failure ??= this.#frames.fault;
    return sent ?? NOTHING;
  }

  /** The bytes that the client gets for a frame now, or null for none. */
  protected abstract take(name: string, frame: Buffer): Buffer | null;

  #takeFrame(frame: Buffer): Buffer | null {
    const name = leadingEventName(frame);
    const named = name === "" ? nameFrame(frame) : { name, bytes: frame };
    // A frame that is no event, such as a comment, `[DONE]` or a web page, has no meaning for clients and is dropped.
    if (named.name === "") return null;
    const bytes = normalizeDataLines(named.bytes);
    return this.take(named.name, this.#issuer === null ? bytes : this.#issue(named.name, bytes, this.#issuer));
  }
}
