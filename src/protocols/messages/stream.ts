import type { StreamAnswer } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { NO_USAGE, replacementUsage, type Usage } from "../../core/money/usage.ts";
import { styleBError } from "../shared/error-styles.ts";
import { eventData, eventFrame, joinFrames } from "../shared/event-frames.ts";
import { NamedStream } from "../shared/named-stream.ts";
import { withoutVendorCosts, withUsage } from "../shared/usage-event.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { INPUT } from "./answer-reader.ts";
import { issuedFrame } from "./issued-blocks.ts";
import { ToldUsage, writeUsage } from "./read-usage.ts";
import { RelayedEvents } from "./relayed-events.ts";
import { startsWithContent } from "./told-blocks.ts";
import { wholeAsEvents } from "./whole-as-events.ts";
import { deltaUsage, messageUsage } from "./wire-message.ts";

/** The members of a delta that hold generated text; a signature is not generated text. */
const CONTENT_KEYS = ['"text"', '"partial_json"', '"thinking"'].map((key) => Buffer.from(key));
const NAMES: ReadonlySet<string> = new Set([
  ...["message", "message_start", "message_delta", "message_stop", "error", "ping"],
  ...["content_block_start", "content_block_delta", "content_block_stop"],
]);
const FIRST_KEY = CONTENT_KEYS[0] as Buffer;

/** A relayed messages stream: every frame passes unchanged except for the model's name, and is metered. */
export class MessagesStream extends NamedStream implements StreamAnswer {
  terminated = false;
  /** The content's key in the last delta, which the next delta most likely has too. */
  #key = FIRST_KEY;
  readonly #told = new ToldUsage();
  readonly #events: RelayedEvents;
  /** The frames from the stop reason on, which are sent after the charge is recorded. */
  readonly #withheld: Buffer[] = [];

  /**
   * `input_estimate_tokens` is the input count at the start for vendors that send none (docs/rulings.md 6). `issuer`: the vendor's name
   * where it signs its thinking itself.
   */
  constructor(model_id: string, input_estimate_tokens = 0, issuer: string | null = null) {
    super(model_id, "message", issuedFrame, issuer);
    const estimate = { ...NO_USAGE, input_tokens: input_estimate_tokens };
    this.#events = new RelayedEvents(model_id, () => messageUsage(estimate));
  }

  finish(billed?: Usage, cost?: string): Buffer {
    const owed = this.#told.isErased ? (billed ?? this.usage) : replacementUsage(billed, this.usage);
    const told = owed === null ? this.#withheld : this.#withheld.map((frame) => withEndUsage(frame, owed));
    const frames = cost === undefined ? told : withEndCost(told, cost);
    return joinFrames(this.terminated ? frames : [...frames, messageStop()]);
  }

  cut(usage: Usage, cost?: string): Buffer {
    if (this.complete) return this.finish(usage, cost);
    const delta = { stop_reason: "max_tokens", stop_sequence: null };
    const end = eventFrame("message_delta", { type: "message_delta", delta, usage: { ...writeUsage(usage), cost } });
    return joinFrames([...this.#events.close(), end, messageStop()]);
  }

  fail(error: GatewayError, request_id: string): Buffer {
    return eventFrame("error", styleBError(error, request_id));
  }

  /**
   * The usage so far. Before the answer's end these are the counts of its start: the exact input, and almost no output.
   */
  get usage(): Usage | null {
    return this.#told.usage(this.complete);
  }

  get rejected_usage(): unknown {
    return this.#told.rejected;
  }

  protected take(name: string, frame: Buffer): Buffer | null {
    if (this.terminated || this.failure !== null) return null;
    if (name === "message") return this.#takeWhole(frame);
    if (name === "content_block_delta") {
      const piece = this.#events.piece(frame, this.#meterDelta(frame));
      this.failure = this.#events.failure;
      if (!this.complete || piece === null) return piece;
      this.#withheld.push(piece);
      return null;
    }
    if (!NAMES.has(name)) {
      // Clients read the type in the data, whatever the event is called.
      const data = eventData(frame);
      if (typeof data?.type === "string" && NAMES.has(data.type))
        return this.take(data.type, eventFrame(data.type, data));
    }
    if (name === "error") this.failure = readErrorObject(eventData(frame));
    else this.#note(name, frame);
    if (this.failure !== null) return null;
    const sent = this.#shown(name, frame);
    this.failure = this.#events.failure;
    if (this.failure !== null) return null;
    if (!this.complete) return sent.length === 0 ? null : joinFrames(sent);
    for (const one of sent) this.#withheld.push(one);
    return null;
  }

  /** A message in place of its stream. */
  #takeWhole(frame: Buffer): Buffer {
    const shown: Buffer[] = [];
    for (const event of wholeAsEvents(eventData(frame, INPUT) ?? {})) {
      const sent = this.take(event.type, eventFrame(event.type, event));
      if (sent !== null) shown.push(sent);
    }
    return joinFrames(shown);
  }

  /** The frames that the client gets for a frame of the vendor. */
  #shown(name: string, frame: Buffer): readonly Buffer[] {
    switch (name) {
      case "message_start":
        return this.#events.start(this.swap.swap(withoutVendorCosts(frame, "message")), this.usage !== null);
      case "content_block_start":
        return this.#events.startBlock(frame);
      case "content_block_stop":
        return this.#events.endBlock(frame);
      case "message_delta":
        return this.#events.delta(withoutVendorCosts(frame), () => deltaUsage(this.#told.usage(false) ?? NO_USAGE));
      case "message_stop":
        return this.#events.end(frame);
      default:
        // Data that is no object is no event: official SDKs throw on it.
        return eventData(frame) === null ? [] : [frame];
    }
  }

  /** The hot path: no parsing, one search for the content's key. Whether the frame has a text. */
  #meterDelta(frame: Buffer): boolean {
    this.has_content = true;
    if (this.tape.take(frame, this.#key, 0)) return true;
    for (const key of CONTENT_KEYS) {
      if (key === this.#key || !this.tape.take(frame, key, 0)) continue;
      this.#key = key;
      return true;
    }
    return false;
  }

  #note(name: string, frame: Buffer): void {
    switch (name) {
      case "message_start": {
        const message = eventData(frame)?.message;
        if (isObject(message)) this.#told.take(message.usage, "start");
        return;
      }
      case "content_block_start":
        this.has_content ||= startsWithContent(eventData(frame)?.content_block);
        return;
      case "message_delta":
        return this.#noteMessageDelta(eventData(frame));
      case "message_stop":
        this.complete = true;
        this.terminated = true;
        return;
    }
  }

  #noteMessageDelta(data: Record<string, unknown> | null): void {
    this.#told.take(data?.usage, "end");
    const stop_reason = isObject(data?.delta) ? data.delta.stop_reason : null;
    if (typeof stop_reason === "string" && stop_reason !== "") this.complete = true;
  }
}

/** The end frame with the billed totals, for a vendor that sent no counts (docs/rulings.md 58). */
function withEndUsage(frame: Buffer, billed: Usage): Buffer {
  const data = eventData(frame);
  return data?.type === "message_delta" ? eventFrame("message_delta", { ...data, usage: deltaUsage(billed) }) : frame;
}

/** The frames that end a message, with the cost in the last usage. */
function withEndCost(frames: readonly Buffer[], cost: string): readonly Buffer[] {
  const at = frames.findLastIndex((frame) => isObject(eventData(frame)?.usage));
  const end = frames[at];
  return end === undefined ? frames : frames.with(at, withUsage(end, { cost }));
}

function messageStop(): Buffer {
  return eventFrame("message_stop", { type: "message_stop" });
}
