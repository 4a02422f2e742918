import type { Attempt } from "../../core/ledger.ts";
import type { Price } from "../../core/price.ts";
import { textOf } from "./shared-texts.ts";
import { readAttempts, readPrice } from "./short-texts.ts";

/** Reads prices and attempts of many rows of requests: a text that rows share (shared-texts.ts) is parsed once. */
export class RowTexts {
  readonly #texts: ReadonlyMap<number, string>;
  readonly #prices = new Map<string, Price>();
  /** A single attempt by its reference, with the times of the first row that has it. */
  readonly #attempts = new Map<string, Attempt>();

  constructor(texts: ReadonlyMap<number, string>) {
    this.#texts = texts;
  }

  text(column: string): string {
    return textOf(column, this.#texts);
  }

  /** Throws where the column refers to a text that is missing, as `attempts` does. */
  price(column: string): Price {
    let price = this.#prices.get(column);
    if (price === undefined) {
      price = readPrice(this.text(column));
      this.#prices.set(column, price);
    }
    return price;
  }

  attempts(column: string): readonly Attempt[] {
    const times_at = column.startsWith("#") ? column.indexOf(",") : -1;
    if (times_at === -1) return readAttempts(this.text(column));
    const reference = column.slice(0, times_at);
    const known = this.#attempts.get(reference);
    if (known === undefined) {
      const [first] = readAttempts(this.text(column));
      if (first === undefined) return [];
      this.#attempts.set(reference, first);
      return [first];
    }
    const duration_at = column.indexOf(",", times_at + 1);
    const { vendor, upstream_model, status, error } = known;
    const first_byte_ms = timeOf(column.slice(times_at + 1, duration_at));
    return [
      { vendor, upstream_model, status, error, first_byte_ms, duration_ms: Number(column.slice(duration_at + 1)) },
    ];
  }
}

function timeOf(text: string): number | null {
  return text === "null" ? null : Number(text);
}
