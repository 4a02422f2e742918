import { type Micro, micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import { priceText } from "../../ledger/books/row-json.ts";

/** How values travel to the database thread and back: as the values of a flat JSON list, one behind the other. */
export interface Packing<Shape> {
  write(row: RowWriter, value: Shape): void;
  read(row: RowReader): Shape;
}

/** The packing of each field of a record, in the order in which the fields are packed. */
export type Fields<Shape> = { readonly [Name in keyof Shape]-?: Packing<Shape[Name]> };

/** A value that JSON has. */
export const asItIs = {
  write: (row: RowWriter, value: unknown): void => row.push(value),
  read: (row: RowReader): never => row.next() as never,
};

/** A text that comes again and again: it is sent once, and named by its number from then on. */
export const named = {
  write: (row: RowWriter, value: string): void => row.push(row.numbering.numberOf(value)),
  read: (row: RowReader): never => row.texts.textOf(row.next() as number) as never,
};

/** A price: its text is named, and parsed once. */
export const price: Packing<Price> = {
  write: (row, value) => row.push(row.numbering.numberOf(priceText(value))),
  read: (row) => row.texts.priceOf(row.next() as number),
};

export const amount: Packing<Micro> = {
  write: (row, value) => row.push(packAmount(value)),
  read: (row) => unpackAmount(row.next() as number | string),
};

/** One of the fields that most records lack: those that are there travel as one JSON object, behind the other fields. */
export const rare = { write: (): void => undefined, read: (): never => undefined as never };

/** A field that does not travel, as each record that is read has this value; undefined: the field is absent. */
class Always<Shape> implements Packing<Shape> {
  readonly value: Shape;

  constructor(value: Shape) {
    this.value = value;
  }

  write(): void {}

  read(): Shape {
    return this.value;
  }
}

export function always<const Shape>(value: Shape): Packing<Shape> {
  return new Always(value);
}

/** Of a value that may be null, or absent where the type allows it. */
interface OrNull<Shape> {
  write(row: RowWriter, value: Shape | null | undefined): void;
  read(row: RowReader): Shape | null;
}

/** The packed value must not begin with a null itself. */
export function orNull<Shape>({ write, read }: Packing<Shape>): OrNull<Shape> {
  return {
    write: (row, value) => (value == null ? row.push(null) : write(row, value)),
    read: (row) => (row.skipNull() ? null : read(row)),
  };
}

/** Of a field that may be absent. The packed value must not begin with a null itself. */
export function optional<Shape>({ write, read }: Packing<Shape>): Packing<Shape | undefined> {
  return {
    write: (row, value) => (value === undefined ? row.push(null) : write(row, value)),
    read: (row) => (row.skipNull() ? undefined : read(row)),
  };
}

export function list<Shape>({ write, read }: Packing<Shape>): Packing<readonly Shape[]> {
  return {
    write: (row, values) => {
      row.push(values.length);
      for (const value of values) write(row, value);
    },
    read: (row) => {
      const count = row.next() as number;
      const values: Shape[] = [];
      for (let at = 0; at < count; at += 1) values.push(read(row));
      return values;
    },
  };
}

/** A record's packing, which can also be read onto fields that are there already. */
export interface RecordPacking<Shape> extends Packing<Shape> {
  /** The fields that are the same in each record. */
  readonly same: Partial<Shape>;
  /** Reads a record that has the fields of `start` as well, which has those of `same`. */
  readOnto<Start extends object>(row: RowReader, start: Start): Start & Shape;
}

/** Fields that read as undefined are left out of the record. */
export function record<Shape extends object>(fields: Fields<Shape>): RecordPacking<Shape> {
  const all = Object.entries(fields) as [keyof Shape & string, Packing<unknown>][];
  const travelling = all.filter(([, packing]) => packing !== rare && !(packing instanceof Always));
  const names = travelling.map(([name]) => name);
  const packings = travelling.map(([, packing]) => packing);
  // Most fields: they are passed without a call of their own.
  const is_plain = packings.map(({ read }) => read === asItIs.read);
  const rare_names = all.filter(([, packing]) => packing === rare).map(([name]) => name);
  const same = Object.fromEntries(
    all.flatMap(([name, packing]) =>
      packing instanceof Always && packing.value !== undefined ? [[name, packing.value]] : [],
    ),
  ) as Partial<Shape>;
  const readOnto = <Start extends object>(row: RowReader, start: Start): Start & Shape => {
    const made = { ...start } as Record<string, unknown>;
    for (let at = 0; at < packings.length; at += 1) {
      const value = is_plain[at] === true ? row.next() : packings[at]?.read(row);
      if (value !== undefined) made[names[at] as string] = value;
    }
    if (rare_names.length > 0) {
      const found = row.next();
      if (found !== null) Object.assign(made, found);
    }
    return made as Start & Shape;
  };
  return {
    same,
    write: (row, value) => {
      for (let at = 0; at < packings.length; at += 1) {
        const field = value[names[at] as keyof Shape];
        if (is_plain[at] === true) row.push(field);
        else packings[at]?.write(row, field);
      }
      if (rare_names.length > 0) row.push(thoseOf(value, rare_names));
    },
    read: (row) => readOnto(row, same) as Shape,
    readOnto,
  };
}

function thoseOf<Shape extends object>(value: Shape, names: readonly (keyof Shape)[]): Partial<Shape> | null {
  let found: Partial<Shape> | null = null;
  for (const name of names) {
    if (value[name] === undefined) continue;
    found ??= {};
    found[name] = value[name];
  }
  return found;
}

/** An amount as it travels in JSON: a number, and digits beyond what a JSON number is exact for. */
export function packAmount(value: Micro): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

export function unpackAmount(value: number | string): Micro {
  return micro(BigInt(value));
}

export type Packed = readonly unknown[];

export interface Numbering {
  numberOf(text: string): number;
}

/** Writes the values of records, as JSON has them. */
export class RowWriter {
  readonly numbering: Numbering;
  /** One list for all records, with room for the longest so far: a new one would grow with each of its first values. */
  readonly #values: unknown[] = [];
  #count = 0;

  constructor(numbering: Numbering) {
    this.numbering = numbering;
  }

  begin(): this {
    this.#count = 0;
    return this;
  }

  push(value: unknown): void {
    this.#values[this.#count++] = value;
  }

  /** What was written. Values at its end that are absent are left out. */
  end(): Packed {
    while (this.#count > 0 && this.#values[this.#count - 1] == null) this.#count -= 1;
    return this.#values.slice(0, this.#count);
  }
}

export interface NamedTexts {
  textOf(number: number): string;
  priceOf(number: number): Price;
}

/** Gives the values of packed records. */
export class RowReader {
  readonly texts: NamedTexts;
  #row: Packed = [];
  #at = 0;

  constructor(texts: NamedTexts) {
    this.texts = texts;
  }

  begin(row: Packed, at: number): this {
    this.#row = row;
    this.#at = at;
    return this;
  }

  /** The next value; null behind the end. */
  next(): unknown {
    return this.#row[this.#at++] ?? null;
  }

  /** Whether the next value is null, which is then passed over. */
  skipNull(): boolean {
    if ((this.#row[this.#at] ?? null) !== null) return false;
    this.#at += 1;
    return true;
  }
}
