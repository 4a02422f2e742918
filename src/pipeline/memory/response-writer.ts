import type { NewStoredResponse } from "../../core/answer/stored-responses.ts";
import { encryptPart, outputJson } from "./encrypted-parts.ts";
import { ACCOUNT_BYTES, type MemoryDeps } from "./memory-deps.ts";
import type { WaitingResponse } from "./waiting-response.ts";

/** How much may wait in this process: while the database cannot be written, further responses are dropped. */
const WAITING_BYTES = 64 * 2 ** 20;
/** The size of one transaction: where there is one writer, the ledger's batches wait for it. */
const BATCH_BYTES = 2 ** 20;
const BATCH = 64;
/** After this many responses, other work of the thread gets its turn. */
const SEALED_AT_ONCE = 8;
const RETRY_AFTER_MS = 1000;
/** How many rows a step of the sweep removes, and how often it runs. */
const SWEEP_STEP = 100;
const SWEEP_EVERY_MS = 5000;

/** Writes responses in the background, several in one transaction, in the order in which they came. */
export class ResponseWriter {
  readonly #deps: MemoryDeps;
  readonly #waiting = new Map<string, WaitingResponse>();
  readonly #by_item = new Map<string, WaitingResponse>();
  #bytes = 0;
  #writing: Promise<void> | null = null;
  /** The running transaction. */
  #putting: Promise<unknown> = Promise.resolve();
  #sweeping: Promise<void> = Promise.resolve();
  readonly #timer: Timer;
  #is_closing = false;
  #closed = false;
  #is_failing = false;
  /** Ends the pause that runs. */
  #hurry: () => void = () => {};

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    }, SWEEP_EVERY_MS);
    this.#timer.unref();
  }

  get size(): number {
    return this.#waiting.size;
  }

  find(response_key: string): WaitingResponse | null {
    return this.#waiting.get(response_key) ?? null;
  }

  withItem(item_key: string): WaitingResponse | null {
    return this.#by_item.get(item_key) ?? null;
  }

  add(response: WaitingResponse): void {
    const { response_key, bytes, item_keys } = response;
    const before = this.#waiting.get(response_key);
    if (before !== undefined) this.#forget(before);
    if (this.#bytes + bytes > WAITING_BYTES) return this.#deps.metrics.stored_responses.add(1, "no_room");
    this.#waiting.set(response_key, response);
    for (const key of item_keys) this.#by_item.set(key, response);
    this.#bytes += bytes;
    if (!this.#closed) this.#writing ??= this.#write();
  }

  /** Resolves when the response no longer waits, and no running transaction could write it. */
  async remove(response_key: string): Promise<void> {
    const waiting = this.#waiting.get(response_key);
    if (waiting !== undefined) {
      waiting.is_removed = true;
      this.#forget(waiting);
    }
    await this.#putting.catch(() => {});
  }

  async close(patience_ms: number): Promise<void> {
    clearInterval(this.#timer);
    this.#is_closing = true;
    this.#hurry();
    if (this.#waiting.size > 0) this.#writing ??= this.#write();
    await within(patience_ms, this.#writing);
    this.#closed = true;
    await within(patience_ms, Promise.all([this.#sweeping, this.#putting.catch(() => {})]));
  }

  #forget(response: WaitingResponse): void {
    if (this.#waiting.get(response.response_key) !== response) return;
    this.#waiting.delete(response.response_key);
    for (const key of response.item_keys) if (this.#by_item.get(key) === response) this.#by_item.delete(key);
    this.#bytes -= response.bytes;
  }

  async #write(): Promise<void> {
    await this.#pause(this.#deps.write_after_ms);
    while (this.#waiting.size > 0 && !this.#closed) {
      const batch = this.#nextBatch();
      try {
        await this.#put(batch);
        this.#is_failing = false;
      } catch (thrown) {
        if (!this.#is_failing) this.#deps.log.error({ err: thrown }, "responses could not be stored; trying on");
        this.#is_failing = true;
        this.#putBehind(batch);
        if (this.#is_closing) break;
        await this.#pause(RETRY_AFTER_MS);
      }
    }
    this.#writing = null;
  }

  /**
   * The next responses to write. While writing fails, only one: a response that the database refuses must not block the
   * rest.
   */
  #nextBatch(): WaitingResponse[] {
    const batch: WaitingResponse[] = [];
    let bytes = 0;
    for (const response of this.#waiting.values()) {
      bytes += response.bytes;
      if (batch.length > 0 && (this.#is_failing || bytes > BATCH_BYTES || batch.length === BATCH)) break;
      batch.push(response);
    }
    return batch;
  }

  #putBehind(batch: readonly WaitingResponse[]): void {
    const now_ms = this.#deps.clock.monotonic_ms();
    for (const response of batch) {
      if (this.#waiting.get(response.response_key) !== response) continue;
      if (response.expires_ms <= now_ms) {
        this.#forget(response);
        this.#deps.metrics.stored_responses.add(1, "late");
      } else {
        this.#waiting.delete(response.response_key);
        this.#waiting.set(response.response_key, response);
      }
    }
  }

  async #put(batch: readonly WaitingResponse[]): Promise<void> {
    const rows: NewStoredResponse[] = [];
    for (const [index, response] of batch.entries()) {
      if (index % SEALED_AT_ONCE === SEALED_AT_ONCE - 1) await new Promise<void>((done) => setImmediate(done));
      const row = await this.#encrypted(response);
      if (response.is_removed) continue;
      if (sizeOf(row) <= ACCOUNT_BYTES / 2) rows.push(row);
      else this.#deps.metrics.stored_responses.add(1, "too_large");
    }
    // Responses that were deleted while the batch was being encrypted.
    const gone = new Set(batch.filter(({ is_removed }) => is_removed).map(({ response_key }) => response_key));
    const left = rows.filter(({ response_key }) => !gone.has(response_key));
    if (left.length > 0) {
      this.#putting = this.#deps.store.put(left, ACCOUNT_BYTES);
      await this.#putting;
    }
    for (const response of batch) this.#forget(response);
    this.#deps.metrics.stored_responses.add(left.length, "kept");
  }

  async #encrypted(response: WaitingResponse): Promise<NewStoredResponse> {
    const { account_id, response_key, parent_key, vendor, sent, used_keys, item_keys } = response;
    const { output_json, rest_json } = response.response;
    const owner = { account_id, response_key, parent_key };
    const { cipher, keep_ms } = this.#deps;
    const parts = {
      input: await encryptPart(cipher, owner, "input", sent.bytes ?? sent.text),
      output: await encryptPart(cipher, owner, "output", outputJson(vendor, output_json)),
      rest: await encryptPart(cipher, owner, "rest", rest_json),
    };
    return { ...owner, parts, keep_ms, item_keys, used_keys };
  }

  /** Removes expired responses in small steps, between which the ledger's batches run. */
  async #sweep(): Promise<void> {
    try {
      while (!this.#closed && (await this.#deps.store.removeExpired(SWEEP_STEP)) === SWEEP_STEP);
    } catch (thrown) {
      this.#deps.log.warn({ err: thrown }, "stored responses that are over could not be removed");
    }
  }

  /** A pause that ends early when the process ends. Its promise is its own: one that lives on would remember everybody who waited for it. */
  async #pause(ms: number): Promise<void> {
    if (this.#is_closing) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hurry = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }
}

/** Waits for a promise, for at most this time. Its timer does not keep the process alive. */
async function within(ms: number, awaited: Promise<unknown> | null): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([awaited, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function sizeOf({ parts: { input, output, rest } }: NewStoredResponse): number {
  return input.byteLength + output.byteLength + rest.byteLength;
}
