import type { LedgerOp } from "../../core/ledger/ledger.ts";
import type { Price } from "../../core/money/price.ts";
import { readPrice } from "../../ledger/books/price-text.ts";
import { type NamedTexts, type Numbering, type Packed, PassReader, PassWriter } from "../record/pass.ts";
import { passAdmission, passOp } from "../record/pass-op.ts";
import type { AdmitTerms } from "../record/request-terms.ts";
import { TermsPacker, unpackTerms } from "./pack-terms.ts";

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

/** The terms are packed separately from their admission. */
const NO_TERMS = {};

/** The main thread's end: packs batches for one database thread, and remembers which texts that has. */
export class BatchPacker implements Numbering {
  readonly #numbers = new Map<string, number>();
  readonly #terms = new TermsPacker();
  readonly #writer = new PassWriter(this);
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
    const number = op.op === "admit" ? this.#terms.numberOf(op, this) : null;
    const writer = this.#writer.begin();
    writer.asItIs(op.op);
    if (number !== null) writer.asItIs(number);
    if (op.op === "admit") passAdmission(writer, NO_TERMS, op);
    else passOp(writer, op.op, op);
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
  readonly #reader = new PassReader(this);
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
    if (kind === "admit") return passAdmission(this.#reader.begin(packed, 2), this.#termsOf(packed[1] as number));
    return passOp(this.#reader.begin(packed, 1), kind);
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
