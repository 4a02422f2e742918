import type { SentItems } from "../../core/answer/exchange.ts";

/** The items that a client sent in a large body, as JSON bytes: they are decoded and parsed when somebody needs them. */
export class SentItemsAsBytes implements SentItems {
  readonly bytes: Uint8Array;

  /** Null where the response is not stored, so that nobody will need them. */
  constructor(bytes: Uint8Array | null) {
    this.bytes = bytes ?? EMPTY;
  }

  get text(): string {
    const { buffer, byteOffset, byteLength } = this.bytes;
    return Buffer.from(buffer, byteOffset, byteLength).toString();
  }

  get items(): readonly unknown[] {
    return JSON.parse(this.text) as unknown[];
  }
}

const EMPTY = Buffer.from("[]");
