import type { AdmitOp } from "../../core/ledger.ts";
import type { BookAdmit } from "../../ledger/books/book-op.ts";
import { shortPriceText } from "../batch/short-texts.ts";
import { type PackedAmount, packAmount, unpackAmount } from "./pack-amount.ts";
import type { NumberOf, TextOf } from "./pack-attempts.ts";

/**
 * The terms of an admission: what it has in common with the others of its key for the same model, which is most of it. They
 * travel as a text, and so once (pack-op.ts); an admission then names them by that text's number.
 */
export type Terms = Pick<
  BookAdmit,
  | "account_id"
  | "key_id"
  | "key_version"
  | "endpoint"
  | "stream"
  | "requested_model"
  | "model"
  | "price"
  | "rpm"
  | "tpm"
  | "concurrent"
  | "budget_micro"
  | "budget_window"
  | "node_id"
  | "ttl_ms"
>;

/**
 * Texts are named by their numbers here too, but for the two ids, which only the terms of their key have: with thousands of keys each number
 * fewer is one text fewer to be remembered at both ends.
 */
type PackedTerms = readonly [
  account_id: string,
  key_id: string,
  key_version: Terms["key_version"],
  endpoint: number,
  stream: Terms["stream"],
  requested_model: number,
  model: number,
  price: number,
  rpm: Terms["rpm"],
  tpm: Terms["tpm"],
  concurrent: Terms["concurrent"],
  budget_micro: PackedAmount | null,
  budget_window: Terms["budget_window"],
  node_id: number,
  ttl_ms: Terms["ttl_ms"],
];

/** How many terms of a key are looked through; a client that goes on to more has the first of them packed again. */
const KNOWN_AT_MOST = 8;

/** An admission, and the number of its terms. */
interface Known {
  readonly op: AdmitOp;
  readonly number: number;
}

/** The main thread's end: finds the number of an admission's terms without writing them out first. */
export class TermsPacker {
  readonly #of_keys = new Map<string, Known[]>();

  numberOf(op: AdmitOp, numberOf: NumberOf): number {
    let known = this.#of_keys.get(op.key_id);
    if (known === undefined) {
      known = [];
      this.#of_keys.set(op.key_id, known);
    }
    for (const each of known) if (isAlike(each.op, op)) return each.number;
    const number = numberOf(JSON.stringify(packTerms(op, numberOf)));
    if (known.length === KNOWN_AT_MOST) known.shift();
    known.push({ op, number });
    return number;
  }

  /** Forgets all numbers. */
  clear(): void {
    this.#of_keys.clear();
  }
}

function isAlike(one: AdmitOp, other: AdmitOp): boolean {
  return (
    one.model === other.model &&
    one.requested_model === other.requested_model &&
    one.price === other.price &&
    one.stream === other.stream &&
    one.endpoint === other.endpoint &&
    one.key_version === other.key_version &&
    one.account_id === other.account_id &&
    one.rpm === other.rpm &&
    one.tpm === other.tpm &&
    one.concurrent === other.concurrent &&
    one.budget?.amount_micro === other.budget?.amount_micro &&
    one.budget?.window === other.budget?.window &&
    one.node_id === other.node_id &&
    one.ttl_ms === other.ttl_ms
  );
}

function packTerms(op: AdmitOp, numberOf: NumberOf): PackedTerms {
  return [
    op.account_id,
    op.key_id,
    op.key_version,
    numberOf(op.endpoint),
    op.stream,
    numberOf(op.requested_model),
    numberOf(op.model),
    numberOf(shortPriceText(op.price)),
    op.rpm,
    op.tpm,
    op.concurrent,
    op.budget === null ? null : packAmount(op.budget.amount_micro),
    op.budget === null ? null : op.budget.window,
    numberOf(op.node_id),
    op.ttl_ms,
  ];
}

/** Terms that were read from their text. */
export interface UnpackedTerms {
  readonly terms: Terms;
  /** The numbers of the texts that the terms name. */
  readonly named: readonly number[];
}

/** Reads terms from their text. */
export function unpackTerms(text: string, textOf: TextOf): UnpackedTerms {
  const packed = JSON.parse(text) as PackedTerms;
  const named = [packed[3], packed[5], packed[6], packed[7], packed[13]];
  const terms: Terms = {
    account_id: packed[0],
    key_id: packed[1],
    key_version: packed[2],
    endpoint: textOf(packed[3]) as Terms["endpoint"],
    stream: packed[4],
    requested_model: textOf(packed[5]),
    model: textOf(packed[6]),
    price: textOf(packed[7]),
    rpm: packed[8],
    tpm: packed[9],
    concurrent: packed[10],
    budget_micro: packed[11] === null ? null : unpackAmount(packed[11]),
    budget_window: packed[12],
    node_id: textOf(packed[13]),
    ttl_ms: packed[14],
  };
  return { terms, named };
}
