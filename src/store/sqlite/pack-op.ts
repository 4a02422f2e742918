import type { AdmitOp, LedgerOp } from "../../core/ledger/ledger.ts";
import type { Price } from "../../core/money/price.ts";
import { readPrice } from "../../ledger/books/row-json.ts";
import { type AdmitTerms, OPERATIONS, PACKED_ADMISSION, PACKED_TERMS, TERMS, type Term } from "../record/operations.ts";
import { type NamedTexts, type Numbering, type Packed, RowReader, RowWriter } from "../record/packing.ts";

/**
 * A batch on its way to the database thread, and in its journal. Operations are flat rows that begin with their kind, and the whole
 * batch is one JSON text: a text crosses to the thread as it is, while a structured clone walks every value twice and
 * costs several times as much. Texts that come again and again (prices, models, keys, accounts) are sent once and then
 * named by their number: the thread finds the string that it has, instead of making one for each operation.
 */
export interface PackedBatch {
  readonly texts: readonly (readonly [number: number, text: string])[];
  readonly ops: readonly Packed[];
}

/** After this many texts numbering begins again. A key has one or two texts of its own, of some 150 bytes. */
const TEXTS_AT_MOST = 40_000;

/** The main thread's end: packs batches for one database thread, and remembers which texts that has. */
export class BatchPacker implements Numbering {
  readonly #numbers = new Map<string, number>();
  readonly #terms = new TermsPacker();
  readonly #writer = new RowWriter(this);
  #fresh: [number, string][] = [];

  /** The operations themselves where one has what JSON has not: an answer to be kept. */
  pack(ops: readonly LedgerOp[]): PackedBatch | readonly LedgerOp[] {
    if (!ops.every(isPlain)) return ops;
    // Done between two batches, because all numbers of a batch must be of one numbering.
    if (this.#numbers.size > TEXTS_AT_MOST) {
      this.#numbers.clear();
      this.#terms.clear();
    }
    const packed = ops.map((op) => this.#packOp(op));
    const texts = this.#fresh;
    if (texts.length > 0) this.#fresh = [];
    return { texts, ops: packed };
  }

  #packOp(op: LedgerOp): Packed {
    const writer = this.#writer.begin();
    writer.push(op.op);
    if (op.op === "admit") {
      writer.push(this.#terms.numberOf(op, this));
      PACKED_ADMISSION.write(writer, op);
    } else OPERATIONS[op.op].write(writer, op);
    return writer.end();
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    this.#fresh.push([number, text]);
    return number;
  }
}

function isPlain(op: LedgerOp): boolean {
  return op.op !== "settle" || op.answer === null;
}

/** A received text, and the terms that were parsed from it. */
interface Sent {
  readonly text: string;
  price: Price | null;
  terms: AdmitTerms | null;
  /** The numbers of the texts that the terms name. */
  named: readonly number[];
  /** The batch that used it last, by its number. */
  used_in: number;
}

/** The database thread's end. */
export class BatchUnpacker implements NamedTexts {
  readonly #sent: (Sent | undefined)[] = [];
  readonly #reader = new RowReader(this);
  #used: [number, string][] = [];
  #batch = 0;

  unpack(batch: PackedBatch): LedgerOp[] {
    for (const [number, text] of batch.texts)
      this.#sent[number] = { text, price: null, terms: null, named: [], used_in: 0 };
    this.#batch += 1;
    this.#used = [];
    return batch.ops.map((op) => this.#unpackOp(op));
  }

  /** The texts to which the last batch refers: with them the batch can be read by itself. */
  get used(): PackedBatch["texts"] {
    return this.#used;
  }

  #unpackOp(packed: Packed): LedgerOp {
    const kind = packed[0] as LedgerOp["op"];
    if (kind !== "admit") return OPERATIONS[kind].read(this.#reader.begin(packed, 1));
    const terms = this.#termsOf(packed[1] as number);
    return PACKED_ADMISSION.readOnto(this.#reader.begin(packed, 2), terms);
  }

  textOf(number: number): string {
    return this.#use(number).text;
  }

  priceOf(number: number): Price {
    const sent = this.#use(number);
    sent.price ??= readPrice(sent.text);
    return sent.price;
  }

  #use(number: number): Sent {
    const sent = this.#sent[number];
    if (sent === undefined) throw new Error(`text number ${number} was never sent`);
    if (sent.used_in !== this.#batch) {
      sent.used_in = this.#batch;
      this.#used.push([number, sent.text]);
      // The batch also uses the texts that terms name.
      for (const named of sent.named) this.#use(named);
    }
    return sent;
  }

  #termsOf(number: number): AdmitTerms {
    const sent = this.#use(number);
    if (sent.terms === null) {
      const named: number[] = [];
      const noting: NamedTexts = {
        textOf: (each) => this.textOf(noted(named, each)),
        priceOf: (each) => this.priceOf(noted(named, each)),
      };
      sent.terms = unpackTerms(sent.text, noting);
      sent.named = named;
    }
    return sent.terms;
  }
}

function noted(named: number[], number: number): number {
  named.push(number);
  return number;
}

const NAMES = Object.keys(TERMS) as readonly (keyof AdmitTerms)[];
const ALL = Object.values(TERMS) as readonly Term<unknown>[];

/** How many terms of a key are compared; a client that uses more has the oldest packed again. */
const KNOWN_AT_MOST = 8;

/** Terms, in their order, and their number. */
interface KnownTerms {
  readonly values: readonly unknown[];
  readonly number: number;
}

/** The main thread's end: finds the number of an admission's terms without writing them out first. */
export class TermsPacker {
  readonly #of_keys = new Map<string, KnownTerms[]>();

  numberOf(op: AdmitOp, numbering: Numbering): number {
    let known = this.#of_keys.get(op.key_id);
    if (known === undefined) {
      known = [];
      this.#of_keys.set(op.key_id, known);
    }
    for (const each of known) if (areTermsOf(op, each.values)) return each.number;
    const number = numbering.numberOf(JSON.stringify(packTerms(op, numbering)));
    if (known.length === KNOWN_AT_MOST) known.shift();
    known.push({ values: NAMES.map((name) => op[name]), number });
    return number;
  }

  /** Forgets all numbers. */
  clear(): void {
    this.#of_keys.clear();
  }
}

function areTermsOf(op: AdmitOp, values: readonly unknown[]): boolean {
  for (let at = 0; at < NAMES.length; at += 1) {
    const value = op[NAMES[at] as keyof AdmitTerms];
    if (value !== values[at] && ALL[at]?.isSame?.(value, values[at]) !== true) return false;
  }
  return true;
}

function packTerms(op: AdmitOp, numbering: Numbering): Packed {
  const writer = new RowWriter(numbering).begin();
  PACKED_TERMS.write(writer, op);
  return writer.end();
}

export function unpackTerms(text: string, texts: NamedTexts): AdmitTerms {
  const terms = PACKED_TERMS.read(new RowReader(texts).begin(JSON.parse(text) as Packed, 0));
  return { ...terms, ...PACKED_ADMISSION.same };
}
