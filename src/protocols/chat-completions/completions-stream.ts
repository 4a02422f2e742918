import type { StreamAnswer, VendorFailure } from "../../core/answer/exchange.ts";
import { OPEN_BRACE } from "../../core/ascii.ts";
import { systemClock } from "../../core/clock.ts";
import type { GatewayError } from "../../core/errors.ts";
import { randomBase62 } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { laterUsage, replacementUsage, type Usage } from "../../core/money/usage.ts";
import { styleAError } from "../shared/error-styles.ts";
import { joinFrames, takeFrames } from "../shared/event-frames.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import type { Prompt } from "./completions-request.ts";
import { DATA_START, DONE_FRAME, dataFrame, dataTextFrame, isDone, plainData, plainFrame } from "./data-frames.ts";
import { withUsage } from "./frame-edits.ts";
import { choiceIndex, choicesOf, errorOf, parseChunk } from "./inspect-chunk.ts";
import { findUsage, readUsage, showUsage } from "./usage.ts";

const NOTHING: Buffer = Buffer.alloc(0);
const MOST_SAMPLE_LENGTH = 256 * 1024;

/** What is known of an answer before it comes. */
export interface ShownCompletion {
  /** The catalogue id that the client sees. */
  readonly model_id: string;
  /** How many choices the client gets. */
  readonly choices: number;
  /** The prompts, where they come before the text that was generated from them; else none. */
  readonly echoed: readonly Prompt[];
}

/** The text of a choice that was generated: what was echoed before it was not. */
export function generatedIn(text: string, index: number, { choices, echoed }: ShownCompletion): string {
  const prompt = echoed[Math.floor((index * echoed.length) / choices)];
  return typeof prompt === "string" && text.startsWith(prompt) ? text.slice(prompt.length) : text;
}

/** The envelope of an answer, with what a vendor left out. */
export function envelopeOf(told: JsonRecord | null, model_id: string) {
  return {
    id: typeof told?.id === "string" ? told.id : `cmpl-${randomBase62(22)}`,
    object: "text_completion",
    created: typeof told?.created === "number" ? told.created : Math.floor(systemClock.now_ms() / 1000),
    model: model_id,
  };
}

/** A vendor's stream of completions on its way to the client. Chunks with a usage alone, and `[DONE]`, wait for `finish`. */
export class CompletionStream implements StreamAnswer {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  has_content = false;
  failure: VendorFailure | null = null;
  terminated = false;
  readonly #shown: ShownCompletion;
  readonly #shows_usage: boolean;
  readonly #frames = new SseFrames();
  readonly #texts = new Map<number, string>();
  readonly #finished = new Set<number>();
  #envelope: ReturnType<typeof envelopeOf> | null = null;

  constructor(shown: ShownCompletion, shows_usage: boolean) {
    this.#shown = shown;
    this.#shows_usage = shows_usage;
  }

  get complete(): boolean {
    return this.terminated || this.#finished.size >= this.#shown.choices;
  }

  get output_bytes(): number {
    return Buffer.byteLength(this.#generated());
  }

  get output_sample(): string {
    return this.#generated().slice(0, MOST_SAMPLE_LENGTH);
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#isOver) return NOTHING;
    this.#frames.feed(chunk);
    return takeFrames(this, this.#frames, (frame) => this.#take(frame));
  }

  end(): Uint8Array {
    const frame = this.#isOver ? null : this.#frames.end();
    this.failure ??= this.#frames.fault;
    return (frame === null ? null : this.#take(frame)) ?? NOTHING;
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    const usage = replacementUsage(billed, this.usage) ?? this.usage;
    return joinFrames([...this.#usageFrames(usage, cost), DONE_FRAME]);
  }

  cut(usage: Usage, cost?: string): Uint8Array {
    const open = Array.from({ length: this.#shown.choices }, (_, index) => index).filter(
      (index) => !this.#finished.has(index),
    );
    const choices = open.map((index) => ({ index, text: "", logprobs: null, finish_reason: "length" }));
    const ends = choices.length === 0 ? [] : [dataFrame({ ...this.#closing(), choices })];
    return joinFrames([...ends, ...this.#usageFrames(usage, cost), DONE_FRAME]);
  }

  fail(error: GatewayError): Uint8Array {
    return dataFrame(styleAError(error));
  }

  get #isOver(): boolean {
    return this.terminated || this.failure !== null;
  }

  #closing() {
    this.#envelope ??= envelopeOf(null, this.#shown.model_id);
    return this.#envelope;
  }

  #usageFrames(usage: Usage | null, cost: string | undefined): Buffer[] {
    if (!this.#shows_usage || usage === null) return [];
    return [dataFrame({ ...this.#closing(), choices: [], usage: { ...showUsage(usage), cost } })];
  }

  #generated(): string {
    return [...this.#texts].map(([index, text]) => generatedIn(text, index, this.#shown)).join("");
  }

  #take(frame: Buffer): Buffer | null {
    const plain = plainFrame(frame, this.#frames.hasCr);
    if (plain === null) return null;
    if (plain[DATA_START] !== OPEN_BRACE) {
      this.terminated = isDone(plain);
      return null;
    }
    const chunk = parseChunk(plainData(plain));
    if (chunk === null) return null;
    const error = errorOf(chunk);
    if (error !== null) {
      this.failure = readErrorObject(error);
      return null;
    }
    this.#takeUsage(findUsage(chunk));
    this.#envelope ??= envelopeOf(chunk, this.#shown.model_id);
    return this.#takeChoices(plain, chunk);
  }

  #takeUsage(found: unknown): void {
    const { usage, rejected } = readUsage(found);
    if (usage === null && rejected === null) return;
    this.usage = usage === null ? null : laterUsage(this.usage, usage);
    this.rejected_usage = rejected;
  }

  /** A chunk as the client gets it: its usage comes at the end, once the answer is charged. Null for one with a usage alone. */
  #takeChoices(plain: Buffer, chunk: JsonRecord): Buffer | null {
    const told = choicesOf(chunk);
    if (told.length === 0) return null;
    for (const [place, choice] of told.entries()) {
      const index = choiceIndex(choice, place);
      const text = typeof choice.text === "string" ? choice.text : "";
      if (text !== "") this.has_content = true;
      this.#texts.set(index, (this.#texts.get(index) ?? "") + text);
      if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") this.#finished.add(index);
    }
    const rest = isObject(chunk.usage) ? withUsage(plain, { usage: null }) : withUsage(plain, {});
    const shown = parseChunk(plainData(rest)) ?? chunk;
    const { object, created, id } = this.#closing();
    return dataTextFrame(
      JSON.stringify({
        ...shown,
        id: shown.id ?? id,
        object,
        created: shown.created ?? created,
        model: this.#shown.model_id,
      }),
    );
  }
}
