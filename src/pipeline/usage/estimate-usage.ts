import type { CollectedInput } from "../../core/answer/exchange.ts";
import { collectInput, SAMPLE_CHARACTERS } from "../request/collect-text.ts";

export interface EstimateRequest {
  /** The request's parsed body, or what was collected from it; null when the vendor has reported the input. */
  readonly request_body: Readonly<Record<string, unknown>> | null;
  readonly input?: CollectedInput;
  /** Generated text, as far as it was kept. */
  readonly output_sample: string;
  /** UTF-8 bytes of all generated text. */
  readonly output_bytes: number;
}

export interface Estimate {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** The bytes for one token where the tokenizer cannot count. */
export const BYTES_PER_TOKEN = 4;
/** Long enough for a thread that has to load its tables on a busy machine. A request's hold waits for the estimate. */
const PATIENCE_MS = 10_000;
/** A thread that has not counted yet loads its tables, and may take this multiple of the patience: on a busy machine a new thread would be as late. */
const PATIENCES_TO_LOAD = 6;
/** After this idle time the worker is ended, as the tokenizer's tables are large. */
const KEEP_WORKER_MS = 60_000;

/**
 * Counts tokens where a vendor sent no usage, by a tokenizer in a worker thread: byte-pair encoders take quadratic time
 * on hostile text and must never run where requests are served (docs/rulings.md 25). Where the worker is too slow, dies or
 * cannot be started, the count is a share of the bytes: an estimate always comes, within seconds, and never throws, since
 * a hold waits for it (docs/rulings.md 159).
 */
export class UsageEstimator {
  #worker: Worker | null = null;
  #started_ms = 0;
  #has_counted = false;
  #next_id = 0;
  #idle_timer: Timer | null = null;
  readonly #waiting = new Map<number, (tokens: number[] | null) => void>();
  readonly #startWorker: () => Worker;
  readonly #patience_ms: number;

  /** `startWorker` makes the thread that counts, as `tokenizer-worker.ts` does. */
  constructor(startWorker = startTokenizer, patience_ms = PATIENCE_MS) {
    this.#startWorker = startWorker;
    this.#patience_ms = patience_ms;
  }

  async estimate({ request_body, input: given, output_sample, output_bytes }: EstimateRequest): Promise<Estimate> {
    const input = given ?? (request_body === null ? NO_INPUT : collectInput(request_body, SAMPLE_CHARACTERS));
    const sample = output_sample.slice(0, SAMPLE_CHARACTERS);
    const [input_tokens = 0, sample_tokens = 0] = await this.#count([input.sample, sample]);
    const text_tokens = inProportion(input_tokens, input.sample.length, input.characters);
    const sample_bytes = Buffer.byteLength(sample);
    const output_tokens =
      sample_bytes === 0
        ? Math.ceil(output_bytes / BYTES_PER_TOKEN)
        : inProportion(sample_tokens, sample_bytes, Math.max(output_bytes, Buffer.byteLength(output_sample)));
    return { input_tokens: text_tokens + input.media_tokens, output_tokens };
  }

  /**
   * The tokens of texts, each counted apart. Text beyond the sample's size is counted in proportion, and so are
   * `more_characters` that are not here.
   */
  async countTexts(texts: readonly string[], more_characters = 0): Promise<number> {
    const sampled = firstCharacters(texts, SAMPLE_CHARACTERS);
    const counts = await this.#count(sampled);
    const tokens = counts.reduce((sum, count) => sum + count, 0);
    return inProportion(tokens, charactersOf(sampled), charactersOf(texts) + more_characters);
  }

  /** Ends the worker thread. Counts under way fall back to a share of the bytes. */
  close(): void {
    const worker = this.#worker;
    this.#worker = null;
    if (this.#idle_timer !== null) clearTimeout(this.#idle_timer);
    this.#idle_timer = null;
    for (const resolve of [...this.#waiting.values()]) resolve(null);
    worker?.terminate();
  }

  /** The tokens of each text, by the tokenizer or else by its bytes. */
  async #count(texts: readonly string[]): Promise<number[]> {
    const counted = texts.every((text) => text === "") ? null : await this.#ask(texts);
    return texts.map((text, at) => counted?.[at] ?? Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN));
  }

  /** Null where the worker does not answer. */
  async #ask(texts: readonly string[]): Promise<readonly number[] | null> {
    const { promise, resolve } = Promise.withResolvers<readonly number[] | null>();
    const id = this.#next_id++;
    const timer = setTimeout(() => this.#giveUp(id), this.#patience_ms);
    this.#waiting.set(id, resolve);
    if (this.#idle_timer !== null) clearTimeout(this.#idle_timer);
    try {
      this.#running().postMessage({ id, texts });
      const counted = await promise;
      return counted !== null && areCounts(counted, texts) ? counted : null;
    } catch {
      this.close();
      return null;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#restAfterAWhile();
    }
  }

  /** Ends a thread that hangs, so that the next estimate starts another one. A thread that is still loading is left alone. */
  #giveUp(id: number): void {
    const loads = !this.#has_counted && performance.now() - this.#started_ms < PATIENCES_TO_LOAD * this.#patience_ms;
    if (loads) this.#waiting.get(id)?.(null);
    else this.close();
  }

  #restAfterAWhile(): void {
    this.#idle_timer = setTimeout(() => this.close(), KEEP_WORKER_MS);
    this.#idle_timer.unref();
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = this.#startWorker();
    this.#worker = worker;
    this.#started_ms = performance.now();
    this.#has_counted = false;
    worker.onmessage = (event: MessageEvent<{ id: number; tokens: number[] | null }>) => {
      if (this.#worker === worker) this.#has_counted = true;
      this.#waiting.get(event.data.id)?.(event.data.tokens);
    };
    const died = (): void => {
      if (this.#worker === worker) this.close();
    };
    worker.onerror = died;
    worker.onmessageerror = died;
    worker.addEventListener("close", died);
    return worker;
  }
}

const NO_INPUT = { sample: "", characters: 0, media_tokens: 0 };

function startTokenizer(): Worker {
  const worker = new Worker(new URL("./tokenizer-worker.ts", import.meta.url));
  worker.unref();
  return worker;
}

function areCounts(counted: readonly number[], texts: readonly string[]): boolean {
  return Array.isArray(counted) && counted.length === texts.length && counted.every((count) => count >= 0);
}

function inProportion(tokens: number, part: number, whole: number): number {
  return part === 0 ? 0 : Math.ceil((tokens * Math.max(whole, part)) / part);
}

function firstCharacters(texts: readonly string[], room: number): string[] {
  const first: string[] = [];
  for (const text of texts) {
    if (room <= 0) break;
    if (text !== "") first.push(text.slice(0, room));
    room -= text.length;
  }
  return first;
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
