import type { StoredResponse } from "../../core/answer/stored-responses.ts";
import { decryptPart, itemsOfOutput } from "./encrypted-parts.ts";
import {
  type KeptAnswer,
  type KeptResponse,
  readKept,
  responseAsBytes,
  type WorkerReadResponse,
} from "./kept-answer.ts";
import { ACCOUNT_BYTES, type MemoryDeps } from "./memory-deps.ts";
import { asBytes, type FoundTurn, type RecallSource } from "./recall-source.ts";
import { ResponseWriter } from "./response-writer.ts";
import { WaitingResponse } from "./waiting-response.ts";

/** More turns than any running conversation has; each turn is a row to be read. */
export const MOST_TURNS = 2000;

/**
 * The responses to which clients of this gateway may refer (docs/adr/0017). No request waits for a response to be
 * written: until it is, lookups find it among the waiting ones first. Only its own account can find a response.
 */
export class ResponseMemory implements RecallSource {
  readonly #deps: MemoryDeps;
  readonly #writer: ResponseWriter;
  /** Answers that were just sent: parsed when there is time, or at the next lookup. */
  readonly #unread: KeptAnswer[] = [];
  /** Answers that other threads read. */
  readonly #elsewhere = new Set<Promise<void>>();
  #reading = false;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#writer = new ResponseWriter(deps);
  }

  /** Stores an answer that was just delivered. The caller does no work for it, and lookups find it from now on. */
  keep(answer: KeptAnswer): void {
    this.#unread.push(answer);
    if (this.#reading) return;
    this.#reading = true;
    setImmediate(() => {
      this.#reading = false;
      this.#readAll();
    });
  }

  /** Keeps a large answer that another thread reads: lookups wait until it is read. */
  keepWhenRead(answer: KeptAnswer, reading: Promise<WorkerReadResponse | null>): void {
    const read = this.#whenRead(answer, reading).finally(() => this.#elsewhere.delete(read));
    this.#elsewhere.add(read);
  }

  /** Resolves when no answer is being read in another thread. Never rejects. */
  async allRead(): Promise<void> {
    if (this.#elsewhere.size > 0) await Promise.all(this.#elsewhere);
  }

  keyOf(account_id: string, id: string): string {
    return this.#deps.cipher.keyOf(account_id, id);
  }

  /** How many responses wait to be written. */
  get waiting(): number {
    return this.#unread.length + this.#elsewhere.size + this.#writer.size;
  }

  /** The JSON of a response as it was delivered, in parts; null where it is not stored. Nothing of it is parsed or joined. */
  async find(account_id: string, id: string): Promise<readonly Uint8Array[] | null> {
    await this.allRead();
    const key = this.keyOf(account_id, id);
    const waiting = this.#waitingFor(account_id, key);
    if (waiting !== null) return withOutput(asBytes(waiting.response.rest_json), asBytes(waiting.response.output_json));
    const [row] = await this.#deps.store.find(account_id, [key], ["output", "rest"]);
    if (row === undefined) return null;
    const output = await this.#open(account_id, row, "output");
    const rest = await this.#open(account_id, row, "rest");
    const items = output === null ? null : itemsOfOutput(output);
    return items === null || rest === null ? null : withOutput(rest, items);
  }

  /** False when there was no such response. */
  async remove(account_id: string, id: string): Promise<boolean> {
    await this.allRead();
    const key = this.keyOf(account_id, id);
    const waited = this.#waitingFor(account_id, key) !== null;
    await this.#writer.remove(key);
    return (await this.#deps.store.remove(account_id, key)) || waited;
  }

  /**
   * The conversation that ends with a response, from its beginning. Null where a part of it is missing or unreadable; a
   * result of MOST_TURNS turns means that the conversation is longer.
   */
  async turns(account_id: string, id: string, most_bytes: number): Promise<FoundTurn[] | null> {
    await this.allRead();
    const turns: FoundTurn[] = [];
    const seen = new Set<string>();
    let key: string | null = this.keyOf(account_id, id);
    let sum = 0;
    for (let found = this.#waitingFor(account_id, key); found !== null; ) {
      if (seen.has(found.response_key)) return null;
      seen.add(found.response_key);
      turns.push(turnOf(found));
      sum += found.bytes;
      key = found.parent_key;
      found = key === null ? null : this.#waitingFor(account_id, key);
    }
    if (key !== null) {
      const rows = await this.#deps.store.chain(account_id, key, MOST_TURNS, ACCOUNT_BYTES);
      for (const row of rows) {
        const turn = await this.#turn(account_id, row);
        if (turn === null) return null;
        turns.push(turn);
        sum += turn.bytes;
        key = row.parent_key;
        // The caller refuses a conversation of this size, so the rest is not needed.
        if (sum > most_bytes) return turns.reverse();
      }
      if (key !== null && turns.length < MOST_TURNS) return null;
    }
    return turns.reverse();
  }

  /** The outputs of the account's responses with these keys; with `with_input` also the items that the client sent. */
  async *opened(account_id: string, keys: readonly string[], with_input: boolean): AsyncIterable<FoundTurn> {
    await this.allRead();
    const missing: string[] = [];
    for (const key of keys) {
      const waiting = this.#waitingFor(account_id, key);
      if (waiting === null) missing.push(key);
      else yield turnOf(waiting);
    }
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const parts = with_input ? (["input", "output"] as const) : (["output"] as const);
      const rows = await this.#deps.store.find(account_id, missing.slice(at, at + AT_ONCE), parts);
      for (const row of rows) {
        const turn = with_input ? await this.#turn(account_id, row) : await this.#outputTurn(account_id, row);
        if (turn !== null) yield turn;
      }
    }
  }

  async placesOf(account_id: string, ids: readonly string[]): Promise<Map<string, string>> {
    await this.allRead();
    this.#readAll();
    const places = new Map<string, string>();
    const missing: string[] = [];
    for (const id of ids) {
      const key = this.keyOf(account_id, id);
      const waiting = this.#writer.withItem(key);
      if (waiting === null) missing.push(key);
      else places.set(key, waiting.response_key);
    }
    const found = missing.length === 0 ? [] : await this.#deps.store.findItems(account_id, missing);
    for (const { item_key, response_key } of found) places.set(item_key, response_key);
    return places;
  }

  /** Writes the waiting responses, for at most `patience_ms`. */
  async close(patience_ms: number): Promise<void> {
    await this.allRead();
    this.#readAll();
    await this.#writer.close(patience_ms);
  }

  #waitingFor(account_id: string, key: string): WaitingResponse | null {
    this.#readAll();
    const waiting = this.#writer.find(key);
    return waiting?.account_id === account_id ? waiting : null;
  }

  #readAll(): void {
    for (const answer of this.#unread.splice(0)) this.#add(answer, readKept(answer));
  }

  async #whenRead(answer: KeptAnswer, reading: Promise<WorkerReadResponse | null>): Promise<void> {
    try {
      const read = await reading;
      this.#add(answer, read === null ? null : responseAsBytes(read));
    } catch {
      // The answer was delivered; what goes on from it will not find it.
      this.#deps.metrics.stored_responses.add(1, "no_room");
    }
  }

  #add(answer: KeptAnswer, response: KeptResponse | null): void {
    const { cipher, clock, keep_ms, metrics } = this.#deps;
    if (response === null) return metrics.stored_responses.add(1, "unreadable");
    const waiting = new WaitingResponse(cipher, answer, response, clock.monotonic_ms() + keep_ms);
    // A vendor that repeats an id would make a conversation its own predecessor.
    if (answer.used_keys.includes(waiting.response_key)) return metrics.stored_responses.add(1, "unreadable");
    this.#writer.add(waiting);
  }

  async #turn(account_id: string, row: StoredResponse): Promise<FoundTurn | null> {
    const input = await this.#open(account_id, row, "input");
    const turn = await this.#outputTurn(account_id, row);
    return turn === null || input === null ? null : { ...turn, input, bytes: turn.bytes + input.byteLength };
  }

  async #outputTurn(account_id: string, row: StoredResponse): Promise<FoundTurn | null> {
    const output = await this.#open(account_id, row, "output");
    if (output === null) return null;
    return { response_key: row.response_key, input: [], output, bytes: output.byteLength, is_own: true };
  }

  #open(account_id: string, { response_key, parent_key, parts }: StoredResponse, part: "input" | "output" | "rest") {
    const encrypted = parts[part];
    if (encrypted === undefined) return Promise.resolve(null);
    return decryptPart(this.#deps.cipher, { account_id, response_key, parent_key }, part, encrypted);
  }
}

/** How many responses one query reads. */
const AT_ONCE = 32;

function turnOf({ response_key, sent, vendor, response, bytes }: WaitingResponse): FoundTurn {
  const { output_json: json } = response;
  const output = json instanceof Uint8Array ? { vendor, items: json } : { vendor, items: response.output };
  return { response_key, input: sent.bytes ?? sent.items, output, bytes };
}

/** A response's JSON, whose items stand at its end. */
function withOutput(rest: Uint8Array, items: Uint8Array): readonly Uint8Array[] {
  return [rest.subarray(0, -1), Buffer.from(',"output":'), items, Buffer.from("}")];
}
