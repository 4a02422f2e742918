import { collectText } from "./collect-text.ts";

/** The input of an estimate. */
export interface EstimateRequest {
  /** The request's body; null when the vendor has reported the input. */
  readonly request_text: string | null;
  /** Generated text, as far as it was kept. */
  readonly output_sample: string;
  /** UTF-8 bytes of all generated text. */
  readonly output_bytes: number;
}

export interface Estimate {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

const BYTES_PER_TOKEN = 4;
/** Text beyond this size is counted in proportion. */
const SAMPLE_CHARACTERS = 256 * 1024;
const PATIENCE_MS = 10_000;
/** After this idle time the worker is ended, as the tokenizer's tables are large. */
const KEEP_WORKER_MS = 60_000;

/**
 * Counts tokens where a vendor sent no usage, by a tokenizer in a worker thread: byte-pair encoders take quadratic time
 * on hostile text and must never run where requests are served (docs/rulings.md 25). When the worker is too slow, the
 * count is a share of the bytes.
 */
export class UsageEstimator {
  #worker: Worker | null = null;
  #next_id = 0;
  #idle_timer: Timer | null = null;
  readonly #waiting = new Map<number, (tokens: number[] | null) => void>();

  async estimate(request: EstimateRequest): Promise<Estimate> {
    const input = request.request_text === null ? "" : collectText(request.request_text);
    const [input_tokens = 0, sample_tokens = 0] = await this.#count([input, request.output_sample]);
    const sample_bytes = Buffer.byteLength(request.output_sample);
    const output_tokens =
      sample_bytes === 0
        ? Math.ceil(request.output_bytes / BYTES_PER_TOKEN)
        : Math.ceil((sample_tokens * Math.max(request.output_bytes, sample_bytes)) / sample_bytes);
    return { input_tokens, output_tokens };
  }

  /** The tokens of texts, each counted apart. Text beyond the sample's size is counted in proportion. */
  async countTexts(texts: readonly string[]): Promise<number> {
    const sampled = firstCharacters(texts, SAMPLE_CHARACTERS);
    if (sampled.length === 0) return 0;
    const counted = await this.#ask(sampled);
    const tokens = counted?.reduce((sum, each) => sum + each, 0) ?? Math.ceil(bytesOf(sampled) / BYTES_PER_TOKEN);
    return Math.ceil((tokens * charactersOf(texts)) / charactersOf(sampled));
  }

  /** Ends the worker thread. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
    if (this.#idle_timer !== null) clearTimeout(this.#idle_timer);
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }

  async #count(texts: string[]): Promise<number[]> {
    if (texts.every((text) => text === "")) return texts.map(() => 0);
    const sampled = texts.map((text) => text.slice(0, SAMPLE_CHARACTERS));
    const counted = await this.#ask(sampled);
    return texts.map((text, index) => {
      const sample = sampled[index] ?? "";
      if (sample === "") return 0;
      const tokens = counted?.[index] ?? Math.ceil(Buffer.byteLength(sample) / BYTES_PER_TOKEN);
      return Math.ceil((tokens * text.length) / sample.length);
    });
  }

  #ask(texts: string[]): Promise<number[] | null> {
    const { promise, resolve } = Promise.withResolvers<number[] | null>();
    const id = this.#next_id++;
    const timer = setTimeout(() => this.#waiting.get(id)?.(null), PATIENCE_MS);
    this.#waiting.set(id, (tokens) => {
      clearTimeout(timer);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle_timer = setTimeout(() => this.close(), KEEP_WORKER_MS);
      this.#idle_timer?.unref();
      resolve(tokens);
    });
    if (this.#idle_timer !== null) clearTimeout(this.#idle_timer);
    this.#startWorker().postMessage({ id, texts });
    return promise;
  }

  #startWorker(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL("./tokenizer-worker.ts", import.meta.url));
    worker.unref();
    worker.onmessage = (event: MessageEvent<{ id: number; tokens: number[] }>) => {
      this.#waiting.get(event.data.id)?.(event.data.tokens);
    };
    worker.onerror = () => this.close();
    this.#worker = worker;
    return worker;
  }
}

function firstCharacters(texts: readonly string[], room: number): string[] {
  const first: string[] = [];
  for (const text of texts) {
    if (room === 0) break;
    if (text !== "") first.push(text.slice(0, room));
    room = Math.max(0, room - text.length);
  }
  return first;
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
