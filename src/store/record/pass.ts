import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { type Micro, micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { priceText } from "../../ledger/books/price-text.ts";

/**
 * What a record passes through on its way to the database thread and back: a writer notes each value, a reader gives it. So one function,
 * which names each field once, packs a record and unpacks it (pass-op.ts).
 */
export interface Passage {
  /** A value that JSON has. */
  asItIs<Shape>(value: Shape | undefined): Shape;
  amount(value: Micro | undefined): Micro;
  /** A text that comes again and again: it is sent once, and named by its number from then on. */
  named<Text extends string>(text: Text | undefined): Text;
  /** A price: its text is named, and parsed once. */
  price(price: Price | undefined): Price;
}

/** Passes a value; undefined where it is being read. */
export type Pass<Shape> = (through: Passage, value: Shape | undefined) => Shape;

export const asItIs = <Shape>(through: Passage, value: Shape | undefined): Shape => through.asItIs(value);
export const named = <Text extends string>(through: Passage, text: Text | undefined): Text => through.named(text);
export const price: Pass<Price> = (through, value) => through.price(value);
export const budget: Pass<AdmitOp["budget"]> = (through, value) => {
  const window = through.asItIs(value === undefined ? undefined : (value?.window ?? null));
  return window === null ? null : { window, amount_micro: through.amount(value?.amount_micro) };
};

export const rules: Pass<AdmitOp["rules"]> = (through, value) => {
  const count = through.asItIs(value === null ? null : value?.length);
  if (count == null) return null;
  return Array.from({ length: count }, (_, at) => passRule(through, value?.[at]));
};

function passRule(through: Passage, rule?: AppliedRule): AppliedRule {
  return {
    rule: through.asItIs(rule?.rule),
    value: through.asItIs(rule?.value),
    rpm: through.asItIs(rule?.rpm),
    tpm: through.asItIs(rule?.tpm),
    concurrent: through.asItIs(rule?.concurrent),
    budget: budget(through, rule?.budget),
  };
}

/** An amount as it travels in JSON: a number, and digits beyond what a JSON number is exact for. */
export function packAmount(amount: Micro): number | string {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount.toString();
}

export function unpackAmount(amount: number | string): Micro {
  return micro(BigInt(amount));
}

export type Packed = readonly unknown[];

export interface Numbering {
  numberOf(text: string): number;
}

/** Notes the values of records, as JSON has them. */
export class PassWriter implements Passage {
  readonly #numbering: Numbering;
  /** One list for all records, with room for the longest so far: a new one would grow with each of its first values. */
  readonly #noted: unknown[] = [];
  #count = 0;

  constructor(numbering: Numbering) {
    this.#numbering = numbering;
  }

  begin(): this {
    this.#count = 0;
    return this;
  }

  /** What was noted. Values at its end that are absent are left out. */
  end(): Packed {
    while (this.#count > 0 && this.#noted[this.#count - 1] === null) this.#count -= 1;
    return this.#noted.slice(0, this.#count);
  }

  asItIs<Shape>(value: Shape | undefined): Shape {
    this.#noted[this.#count++] = value;
    return value as Shape;
  }

  amount(value: Micro | undefined): Micro {
    this.#noted[this.#count++] = packAmount(value as Micro);
    return value as Micro;
  }

  named<Text extends string>(text: Text | undefined): Text {
    this.#noted[this.#count++] = this.#numbering.numberOf(text as Text);
    return text as Text;
  }

  price(price: Price | undefined): Price {
    this.#noted[this.#count++] = this.#numbering.numberOf(priceText(price as Price));
    return price as Price;
  }
}

export interface NamedTexts {
  textOf(number: number): string;
  priceOf(number: number): Price;
}

/** Gives the values of packed records. */
export class PassReader implements Passage {
  readonly #texts: NamedTexts;
  #row: Packed = [];
  #at = 0;

  constructor(texts: NamedTexts) {
    this.#texts = texts;
  }

  begin(row: Packed, at: number): this {
    this.#row = row;
    this.#at = at;
    return this;
  }

  asItIs<Shape>(): Shape {
    return (this.#row[this.#at++] ?? null) as Shape;
  }

  amount(): Micro {
    return unpackAmount(this.#row[this.#at++] as number | string);
  }

  named<Text extends string>(): Text {
    return this.#texts.textOf(this.#row[this.#at++] as number) as Text;
  }

  price(): Price {
    return this.#texts.priceOf(this.#row[this.#at++] as number);
  }
}
