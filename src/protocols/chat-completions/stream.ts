import type { StreamAnswer, VendorFailure } from "../../core/answer/exchange.ts";
import { OPEN_BRACE } from "../../core/ascii.ts";
import { systemClock } from "../../core/clock.ts";
import type { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { replacementUsage, type Usage } from "../../core/money/usage.ts";
import { ContentTape } from "../shared/content-tape.ts";
import { styleAError } from "../shared/error-styles.ts";
import { joinFrames, takeFrames } from "../shared/event-frames.ts";
import { replaceMembers } from "../shared/json-members.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { ModelSwap } from "../shared/swap-model.ts";
import { mayTellCosts } from "../shared/vendor-costs.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { ChunkPattern } from "./chunk-pattern.ts";
import { DATA_START, DONE_FRAME, dataFrame, dataTextFrame, isDone, plainData, plainFrame } from "./data-frames.ts";
import {
  endsWithUsage,
  withLastCost,
  withoutNullFingerprint,
  withoutNullUsage,
  withoutRole,
  withUsage,
} from "./frame-edits.ts";
import { errorOf, hasContent, measureDelta, needsParsing, parseChunk } from "./inspect-chunk.ts";
import { type MissingEnd, RelayedChunks } from "./relayed-chunks.ts";
import { correctedUsage, findUsage, noteUsage, showUsage } from "./usage.ts";

const MAX_USELESS_PATTERNS = 3;
const NOTHING: Buffer = Buffer.alloc(0);

export interface StreamOptions {
  /** The catalogue id that the client sees. */
  readonly model_id: string;
  /** Whose the values in `reasoning_details` are. */
  readonly issuer: string;
  /** The number of choices that the client asked for: the answer is complete when each has a finish reason. */
  readonly choices: number;
  /** Whether the client asked for the extra chunk with the usage. */
  readonly shows_usage: boolean;
}

/**
 * A vendor's chat stream on its way to the client. Each chunk is sent with the model's name swapped; only chunks with
 * more than a piece of text are parsed, and what they lack is filled in. Chunks with only a usage, and `[DONE]`, wait for `finish`, so that the last
 * usage wins and is shown once.
 */
export class ChatStream implements StreamAnswer {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  has_content = false;
  failure: VendorFailure | null = null;
  terminated = false;
  readonly #options: StreamOptions;
  readonly #frames = new SseFrames();
  readonly #swap: ModelSwap;
  readonly #tape = new ContentTape();
  readonly #chunks: RelayedChunks;
  readonly #isBegun = (index: number): boolean => this.#chunks.isBegun(index);
  #missing_ends: readonly MissingEnd[] = [];
  #last: Buffer | null = null;
  #pattern: ChunkPattern | null = null;
  /** How many patterns were learnt since the last chunk that matched a pattern. */
  #learnt = 0;
  /** The frame that shows the usage, and whether the usage is its chunk's last member. */
  #usage_frame: { readonly shown: Buffer; readonly is_last: boolean } | null = null;
  #served_tier: string | null = null;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#chunks = new RelayedChunks(options.issuer);
    this.#swap = new ModelSwap(options.model_id);
  }

  get complete(): boolean {
    return this.terminated || this.#chunks.finished >= this.#options.choices;
  }

  get output_bytes(): number {
    return this.#tape.bytes;
  }

  get output_sample(): string {
    return this.#tape.sample();
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#isOver) return NOTHING;
    // Nearly always a chunk of bytes is one frame, and resembles the frame before it.
    const alike = chunk instanceof Buffer && this.#frames.isBetweenFrames ? this.#takeAlike(chunk) : null;
    if (alike !== null) return alike;
    this.#frames.feed(chunk);
    return takeFrames(this, this.#frames, (frame) => this.#take(frame));
  }

  end(): Uint8Array {
    const frame = this.#isOver ? null : this.#frames.end();
    const plain = frame === null ? null : plainFrame(frame, this.#frames.hasCr);
    // A connection that broke leaves half a chunk, which no client could read.
    const is_whole = plain !== null && (isDone(plain) || parseChunk(plainData(plain)) !== null);
    this.failure ??= this.#frames.fault;
    return (is_whole ? this.#take(plain) : null) ?? NOTHING;
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    // A choice that the client did not ask for is ended too: its SDK misses the end of each that has begun.
    if (!this.terminated) this.#missing_ends = this.#chunks.end();
    const ends = this.#missing_ends.length === 0 ? [] : [this.#closing().ends(this.#missing_ends)];
    const replaced = replacementUsage(billed, this.usage);
    const usage = replaced ?? this.usage;
    if (!this.#options.shows_usage || usage === null) return joinFrames([...ends, DONE_FRAME]);
    const told = replaced === null ? this.#usage_frame : null;
    const last = told === null ? this.#closing().usage(usage, cost) : toldUsage(told, cost);
    return joinFrames([...ends, last, DONE_FRAME]);
  }

  cut(usage: Usage, cost?: string): Uint8Array {
    const closing = this.#closing();
    const unfinished = this.#chunks.unfinished(this.#options.choices);
    const cut = unfinished.map((index) => ({ index, delta: {}, finish_reason: "length" }));
    const frames = cut.length === 0 ? [] : [closing.ends(cut)];
    if (this.#options.shows_usage) frames.push(closing.usage(usage, cost));
    return joinFrames([...frames, DONE_FRAME]);
  }

  fail(error: GatewayError): Uint8Array {
    return dataFrame(styleAError(error));
  }

  get #isOver(): boolean {
    return this.terminated || this.failure !== null;
  }

  #closing(): ClosingFrames {
    return new ClosingFrames(this.#last, this.#options.model_id);
  }

  /** The bytes that the client gets for a frame, or null for none. */
  #take(frame: Buffer): Buffer | null {
    const alike = this.#takeAlike(frame);
    if (alike !== null) return alike;
    const plain = plainFrame(frame, this.#frames.hasCr);
    if (plain === null) return null;
    if (plain[DATA_START] !== OPEN_BRACE) return this.#takeMarker(plain);
    if (this.#chunks.begun < this.#options.choices || needsParsing(plain, this.#isBegun))
      return this.#takeSpecial(plain);
    this.#last = plain;
    const { pieces } = this.#tape;
    if (!measureDelta(plain, this.#tape)) return this.#takeSpecial(plain);
    this.has_content = true;
    if (this.#tape.pieces === pieces + 1) this.#learn(plain);
    return this.#shown(withoutRole(plain));
  }

  /**
   * The bytes that the client gets for a chunk that differs from the previous chunk only in its text; null for other
   * chunks.
   */
  #takeAlike(frame: Buffer): Buffer | null {
    const shown = this.#pattern?.take(frame, this.#tape) ?? null;
    if (shown === null) return null;
    this.#last = frame;
    this.#learnt = 0;
    return shown;
  }

  /**
   * Learns a chunk's pattern. Some vendors vary every chunk: after a few patterns that no chunk matched, no more are
   * learnt.
   */
  #learn(plain: Buffer): void {
    if (this.#learnt === MAX_USELESS_PATTERNS) return;
    this.#learnt += 1;
    const place = { start: this.#tape.last_start, end: this.#tape.last_end };
    this.#pattern = ChunkPattern.learn(plain, place, (frame) => this.#shown(withoutRole(frame)));
  }

  #shown(plain: Buffer): Buffer {
    const named = withoutNullFingerprint(this.#swap.swap(mayTellCosts(plain) ? withUsage(plain, {}) : plain));
    return this.#options.shows_usage ? named : withoutNullUsage(named);
  }

  /**
   * Reads a frame that is no JSON object: `[DONE]`, or the array in which Google's compatible endpoint reports errors.
   * Other such frames are dropped.
   */
  #takeMarker(plain: Buffer): null {
    if (isDone(plain)) this.#takeEnd();
    else if (plainData(plain).includes('"error"')) this.failure = readErrorObject(parseOrNull(plainData(plain)));
    return null;
  }

  /** The vendor's last frame ends the answer, with or without finish reasons (docs/rulings.md 172). */
  #takeEnd(): void {
    this.#missing_ends = this.#chunks.end();
    this.failure = this.#chunks.failure;
    this.terminated = true;
  }

  #takeSpecial(sent: Buffer): Buffer | null {
    const told = parseChunk(plainData(sent));
    if (told === null) return null;
    const error = errorOf(told);
    if (error !== null) {
      this.failure = readErrorObject(error);
      return null;
    }
    const chunk = this.#chunks.take(told, this.has_content);
    const changed = chunk === told ? [] : Object.keys(chunk).filter((key) => chunk[key] !== told[key]);
    const plain = changed.length === 0 ? sent : rewritten(sent, chunk, changed);
    this.#last = plain;
    const found = findUsage(chunk);
    if (typeof chunk.service_tier === "string") this.#served_tier = chunk.service_tier;
    if (found !== undefined && noteUsage(this, found, this.#served_tier)) this.#usage_frame = null;
    if (measureDelta(plain, this.#tape) || hasContent(chunk)) this.has_content = true;
    this.failure = this.#chunks.failure;
    if (this.failure !== null) return null;
    const shown = this.#shown(this.#withRightUsage(plain, chunk));
    const is_usage_only = found !== undefined && Array.isArray(chunk.choices) && chunk.choices.length === 0;
    if (!is_usage_only) return shown;
    if (isObject(chunk.usage) && this.usage !== null) this.#usage_frame = { shown, is_last: endsWithUsage(chunk) };
    return null;
  }

  /** The chunk with the usage that will be billed; a rejected usage is not shown. */
  #withRightUsage(plain: Buffer, chunk: JsonRecord): Buffer {
    if (!isObject(chunk.usage)) return plain;
    const usage = this.usage === null ? null : correctedUsage(chunk.usage, this.usage);
    return usage === null && this.usage !== null ? plain : withUsage(plain, { usage });
  }
}

function toldUsage(
  { shown, is_last }: { readonly shown: Buffer; readonly is_last: boolean },
  cost: string | undefined,
) {
  const quick = is_last && cost !== undefined ? withLastCost(shown, cost) : null;
  return quick ?? withUsage(shown, { cost });
}

/** A chunk's frame with its changed members; what else it says keeps its bytes. */
function rewritten(plain: Buffer, chunk: JsonRecord, changed: readonly string[]): Buffer {
  const changes = new Map(changed.map((key) => [key, JSON.stringify(chunk[key])]));
  try {
    return dataTextFrame(replaceMembers(plainData(plain), changes));
  } catch {
    // A chunk that names a member twice is written anew, as it was read.
    return dataFrame(chunk);
  }
}

/**
 * Chunks that the gateway itself adds to a vendor's stream, in the envelope of the stream's own chunks (docs/rulings.md
 * 60).
 */
class ClosingFrames {
  readonly #envelope: JsonRecord;

  /** `last` is the stream's latest chunk as a plain frame, or null when the stream had none. */
  constructor(last: Buffer | null, model_id: string) {
    const chunk = last === null ? null : parseChunk(plainData(last));
    this.#envelope = {
      id: chunk?.id ?? newId("chatcmpl"),
      object: "chat.completion.chunk",
      created: chunk?.created ?? Math.floor(systemClock.now_ms() / 1000),
      model: model_id,
    };
  }

  /** A chunk that ends choices: there is no room for more output, or the vendor gave them no finish reason. */
  ends(choices: readonly MissingEnd[]): Buffer {
    const ended = choices.map(({ index, delta, finish_reason }) => ({ index, delta, logprobs: null, finish_reason }));
    return dataFrame({ ...this.#envelope, choices: ended });
  }

  /** The extra chunk for clients that asked for the usage (docs/api.md 6.1). */
  usage(usage: Usage, cost: string | undefined): Buffer {
    return dataFrame({ ...this.#envelope, choices: [], usage: { ...showUsage(usage), cost } });
  }
}
