import { asOutput, type KeptOutput } from "./encrypted-parts.ts";
import { type JsonText, parseBytes } from "./kept-answer.ts";

/** A turn of a conversation: the items as the client sent them, and the answer's items. */
export interface RecalledTurn {
  readonly response_key: string;
  readonly input: readonly unknown[];
  readonly output: KeptOutput;
  /** The size of its JSON. */
  readonly bytes: number;
}

/** A turn as it was found: parsed, or still the bytes of its JSON for the reader to parse. It can be cloned. */
export interface FoundTurn extends Pick<RecalledTurn, "response_key" | "bytes"> {
  readonly input: readonly unknown[] | Uint8Array;
  /** Bytes alone are the JSON of a KeptOutput. */
  readonly output: KeptOutput | Uint8Array | { readonly vendor: string; readonly items: Uint8Array };
  /** Whether no other code has its bytes: they may be handed over without a copy. */
  readonly is_own?: boolean;
}

/** The source from which a request's references are resolved: the memory itself, or its stand-in in another thread. */
export interface RecallSource {
  /** See `ResponseMemory.turns`. */
  turns(account_id: string, id: string, most_bytes: number): Promise<readonly FoundTurn[] | null>;
  /** The responses that contain these items, as keys; items that are not stored are absent. */
  placesOf(account_id: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** See `ResponseMemory.opened`. The caller takes no more than `most_bytes`. */
  opened(
    account_id: string,
    keys: readonly string[],
    with_input: boolean,
    most_bytes: number,
  ): AsyncIterable<FoundTurn>;
}

/** The buffers of turns that can be handed to another thread without a copy: only those that hold nothing else. */
export function ownBuffers(turns: readonly FoundTurn[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { is_own, input, output } of turns) {
    if (is_own !== true) continue;
    for (const bytes of [input, output])
      if (bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer && fills(bytes)) buffers.add(bytes.buffer);
  }
  return [...buffers];
}

function fills({ buffer, byteLength }: Uint8Array): boolean {
  return buffer.byteLength === byteLength;
}

/** Null for a turn that cannot be read. */
export function readTurn({ response_key, input, output, bytes }: FoundTurn): RecalledTurn | null {
  const items = parsed(input);
  const read = output instanceof Uint8Array ? asOutput(parsed(output)) : { ...output, items: parsed(output.items) };
  if (read === null || !Array.isArray(items) || !Array.isArray(read.items)) return null;
  return { response_key, input: items, output: read as KeptOutput, bytes };
}

/** Parsed JSON; undefined where it is none. */
function parsed(json: readonly unknown[] | Uint8Array): unknown {
  if (!(json instanceof Uint8Array)) return json;
  try {
    return parseBytes(json);
  } catch {
    return undefined;
  }
}

/** More was found than the serving thread reads: another thread has to. */
export class LargeRecall extends Error {}

/** A memory of which the serving thread reads: throws LargeRecall where that is more than `most_bytes` together. */
export class SmallRecall implements RecallSource {
  readonly #memory: RecallSource;
  #room: number;

  constructor(memory: RecallSource, most_bytes: number) {
    this.#memory = memory;
    this.#room = most_bytes;
  }

  async turns(account_id: string, id: string, most_bytes: number): Promise<readonly FoundTurn[] | null> {
    const turns = await this.#memory.turns(account_id, id, Math.min(most_bytes, this.#room));
    for (const turn of turns ?? []) this.#take(turn);
    return turns;
  }

  placesOf(account_id: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#memory.placesOf(account_id, ids);
  }

  async *opened(
    account_id: string,
    keys: readonly string[],
    with_input: boolean,
    most_bytes: number,
  ): AsyncIterable<FoundTurn> {
    for await (const turn of this.#memory.opened(account_id, keys, with_input, Math.min(most_bytes, this.#room))) {
      this.#take(turn);
      yield turn;
    }
  }

  #take({ bytes }: FoundTurn): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new LargeRecall("a large conversation");
  }
}

/** A JSON text as bytes, which are a part of no larger memory. */
export function asBytes(json: JsonText): Uint8Array {
  return typeof json === "string" ? Buffer.from(json) : json;
}
