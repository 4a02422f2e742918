import type { LedgerResult, LimitState, OutputGrant } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { packAmount, unpackAmount } from "../record/packing.ts";

/**
 * The results of a batch on their way back to the main thread. Where JSON can tell them they are one flat list: a result is
 * a code and the values behind it, or its outcome alone. A list in a list, or an object, for each would take twice as long
 * to write and to read.
 */
export type PackedResults = readonly PackedValue[] | readonly BookResult[];

type PackedValue = number | string | null;

/** A code, then the two limits of the rate, each as three values: limit (null where there is none), remaining and reset_ms. */
const ADMITTED = 1;
/** A code, then charge_micro and operator_loss_micro. */
const SETTLED = 2;
/** A code, then added_micro. */
const EXTENDED = 3;
/** The code for an ADMITTED row that also has the granted hold and output tokens. */
const GRANTED = 4;

/** Outcomes without further values. */
type Word = "voided" | "recorded" | "refused" | "unknown_request" | "stale_key";
const WORDS: ReadonlySet<string> = new Set<Word>(["voided", "recorded", "refused", "unknown_request", "stale_key"]);

/** The results themselves where one has what the flat list has not: refusals, stored answers, late ends. */
export function packResults(results: readonly BookResult[]): PackedResults {
  const packed: PackedValue[] = [];
  for (const result of results) {
    if ("late" in result) return results;
    if (result.outcome === "admitted") {
      const { rate, granted } = result;
      packed.push(granted === undefined ? ADMITTED : GRANTED);
      packLimit(packed, rate.requests);
      packLimit(packed, rate.tokens);
      if (granted !== undefined) packed.push(packAmount(granted.hold_micro), granted.output_tokens);
    } else if (result.outcome === "settled" && "charge_micro" in result) {
      packed.push(SETTLED, packAmount(result.charge_micro), packAmount(result.operator_loss_micro));
    } else if (result.outcome === "extended") {
      packed.push(EXTENDED, packAmount(result.added_micro));
    } else if (WORDS.has(result.outcome)) {
      packed.push(result.outcome);
    } else {
      return results;
    }
  }
  return packed;
}

export function isFlat(packed: PackedResults): packed is readonly PackedValue[] {
  return packed.length === 0 || typeof packed[0] !== "object";
}

export function unpackResults(packed: PackedResults): LedgerResult[] {
  if (!isFlat(packed)) return packed as LedgerResult[];
  const results: LedgerResult[] = [];
  for (let at = 0; at < packed.length; ) {
    const code = packed[at];
    if (code === ADMITTED || code === GRANTED) {
      const rate = { requests: unpackLimit(packed, at + 1), tokens: unpackLimit(packed, at + 4) };
      results.push(
        code === ADMITTED
          ? { outcome: "admitted", rate }
          : { outcome: "admitted", rate, granted: unpackGrant(packed, at + 7) },
      );
      at += code === ADMITTED ? 7 : 9;
    } else if (code === EXTENDED) {
      results.push({ outcome: "extended", added_micro: unpackAmount(packed[at + 1] as number | string) });
      at += 2;
    } else if (code === SETTLED) {
      const charge_micro = unpackAmount(packed[at + 1] as number | string);
      const operator_loss_micro = unpackAmount(packed[at + 2] as number | string);
      results.push({ outcome: "settled", charge_micro, operator_loss_micro });
      at += 3;
    } else {
      results.push({ outcome: code as Word });
      at += 1;
    }
  }
  return results;
}

/** The results of a batch as the journal keeps them. A stored answer is never among them: its batch is written at once. */
export function outcomeText(packed: PackedResults): string {
  if (isFlat(packed)) return JSON.stringify(packed);
  return JSON.stringify(packed, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

export function readOutcomes(text: string): BookResult[] {
  const packed = JSON.parse(text, (name, value: unknown) =>
    name.endsWith("_micro") && typeof value === "string" ? micro(BigInt(value)) : value,
  ) as PackedResults;
  return isFlat(packed) ? unpackResults(packed) : [...packed];
}

function packLimit(packed: PackedValue[], state: LimitState | null): void {
  if (state === null) packed.push(null, 0, 0);
  else packed.push(state.limit, state.remaining, state.reset_ms);
}

function unpackGrant(packed: readonly PackedValue[], at: number): OutputGrant {
  return { hold_micro: unpackAmount(packed[at] as number | string), output_tokens: packed[at + 1] as number };
}

function unpackLimit(packed: readonly PackedValue[], at: number): LimitState | null {
  const limit = packed[at] as number | null;
  return limit === null ? null : { limit, remaining: packed[at + 1] as number, reset_ms: packed[at + 2] as number };
}
