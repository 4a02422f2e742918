import type { Attempt } from "../../core/ledger.ts";
import type { Price } from "../../core/price.ts";
import { SIGN, textOf, wholeAt } from "./shared-texts.ts";
import { readAttempts, readPrice } from "./short-texts.ts";

/** Reads prices and attempts of many rows of requests: a text that rows share (shared-texts.ts) is parsed once. */
export class RowTexts {
  readonly #texts: ReadonlyMap<number, string>;
  readonly #prices = new Map<string, Price>();
  /** A single attempt by its reference, with the times of the first row that has it. */
  readonly #attempts = new Map<number, Attempt>();

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
    const times_at = column.startsWith(SIGN) ? column.indexOf(",") : -1;
    if (times_at === -1) return readAttempts(this.text(column));
    const reference = wholeAt(column, SIGN.length, times_at);
    const known = this.#attempts.get(reference);
    if (known === undefined) {
      const [first] = readAttempts(this.text(column));
      if (first === undefined) return [];
      this.#attempts.set(reference, first);
      return [first];
    }
    const duration_at = column.indexOf(",", times_at + 1);
    const { vendor, upstream_model, status, error } = known;
    const first_byte_ms = timeAt(column, times_at + 1, duration_at);
    const duration_ms = timeAt(column, duration_at + 1, column.length) ?? 0;
    return [{ vendor, upstream_model, status, error, first_byte_ms, duration_ms }];
  }
}

const LETTER_N = 0x6e;

function timeAt(column: string, from: number, to: number): number | null {
  if (column.charCodeAt(from) === LETTER_N) return null;
  const whole = wholeAt(column, from, to);
  return Number.isNaN(whole) ? Number(column.slice(from, to)) : whole;
}
