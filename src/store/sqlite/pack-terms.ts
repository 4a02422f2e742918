import type { AdmitOp } from "../../core/ledger/ledger.ts";
import type { NamedTexts, Numbering } from "../record/pass.ts";
import { type Packed, PassReader, PassWriter } from "../record/pass.ts";
import { type AdmitTerms, TERMS, type Term } from "../record/request-terms.ts";

const NAMES = Object.keys(TERMS) as readonly (keyof AdmitTerms)[];
const ALL = Object.values(TERMS) as readonly Term<unknown>[];

/** How many terms of a key are compared; a client that uses more has the oldest packed again. */
const KNOWN_AT_MOST = 8;

/** Terms, in their order, and their number. */
interface Known {
  readonly values: readonly unknown[];
  readonly number: number;
}

/** The main thread's end: finds the number of an admission's terms without writing them out first. */
export class TermsPacker {
  readonly #of_keys = new Map<string, Known[]>();

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
  const writer = new PassWriter(numbering).begin();
  for (const [at, name] of NAMES.entries()) ALL[at]?.pass(writer, op[name] ?? null);
  return writer.end();
}

export function unpackTerms(text: string, texts: NamedTexts): AdmitTerms {
  const reader = new PassReader(texts).begin(JSON.parse(text) as Packed, 0);
  return Object.fromEntries(NAMES.map((name, at) => [name, ALL[at]?.pass(reader, undefined)])) as AdmitTerms;
}
