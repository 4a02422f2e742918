import type { SentItems } from "../../core/exchange.ts";

/** The items that a client sent in a large body, as JSON bytes: they are decoded and parsed when somebody needs them. */
export class SentItemsAsBytes implements SentItems {
  readonly #bytes: Uint8Array | null;

  /** Null where the response is not stored, so that nobody will need them. */
  constructor(bytes: Uint8Array | null) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes?.byteLength ?? EMPTY.length;
  }

  get text(): string {
    const bytes = this.#bytes;
    if (bytes === null) return EMPTY;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  }

  get items(): readonly unknown[] {
    return JSON.parse(this.text) as unknown[];
  }
}

const EMPTY = "[]";
