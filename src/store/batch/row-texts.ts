import type { Attempt } from "../../core/ledger/ledger.ts";
import type { Price } from "../../core/money/price.ts";
import { readPrice } from "../../ledger/books/row-json.ts";
import type { AttemptHead } from "../record/shared-attempt.ts";
import { lookup } from "../sql/statement.ts";
import { readJson, toInt, toIntOrNull } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

/** Reads what rows of requests name by the numbers of `texts` (shared-texts.ts). */

/** The columns of `requests` that are numbers of texts. */
type NumberColumn = "endpoint_no" | "model_no" | "price_no" | "attempt_no";

/** The columns of a request's attempts: several, or one of which more is recorded, are JSON. */
export const ATTEMPT_COLUMNS = "attempts, attempt_no, attempt_first_byte_ms, attempt_duration_ms";

export interface AttemptRow {
  readonly attempts: string | null;
  readonly attempt_no: unknown;
  readonly attempt_first_byte_ms: unknown;
  readonly attempt_duration_ms: unknown;
}

/** SQL for the text of a column with a number, where a row is looked up alone. */
export function textOf(column: NumberColumn): string {
  return `(SELECT text FROM texts WHERE no = ${column})`;
}

/** A condition that a column has the number of a text; its parameter is `digestOf` the text. */
export function isText(column: NumberColumn): string {
  return `${column} = (SELECT no FROM texts WHERE digest = ?)`;
}

const selectTexts = lookup("SELECT no, text FROM texts", { no: "bigint" });

/** Reads the texts that rows name in some of their columns, each once. */
export function* readTexts<Column extends NumberColumn>(
  found: readonly Readonly<Record<Column, unknown>>[],
  columns: readonly Column[],
): Work<RowTexts> {
  const numbers = new Set<number>();
  for (const row of found) {
    for (const column of columns) {
      const no = row[column];
      if (no !== null) numbers.add(toInt(no));
    }
  }
  const texts = new Map<number, string>();
  if (numbers.size > 0) {
    const asked = Array.from(numbers, (no) => [no]);
    for (const { no, text } of yield* rows<{ no: unknown; text: string }>(selectTexts, asked))
      texts.set(toInt(no), text);
  }
  return new RowTexts(texts);
}

/** The texts of many rows: what rows share is parsed once. */
export class RowTexts {
  readonly #texts: ReadonlyMap<number, string>;
  readonly #prices = new Map<number, Price>();
  readonly #heads = new Map<number, AttemptHead>();

  constructor(texts: ReadonlyMap<number, string>) {
    this.#texts = texts;
  }

  /** Throws where the text is missing, as `price` and `attempts` do. */
  text(no: unknown): string {
    const text = this.#texts.get(toInt(no));
    if (text === undefined) throw new Error(`the text ${no} is missing`);
    return text;
  }

  price(no: unknown): Price {
    return known(this.#prices, toInt(no), () => readPrice(this.text(no)));
  }

  attempts(row: AttemptRow): readonly Attempt[] {
    if (row.attempts !== null) return readJson(row.attempts);
    if (row.attempt_no === null) return [];
    const no = toInt(row.attempt_no);
    const head = known(this.#heads, no, () => readJson<AttemptHead>(this.text(no)));
    const [vendor, upstream_model, status, error, credential = null, why] = head;
    const first_byte_ms = toIntOrNull(row.attempt_first_byte_ms);
    const attempt = {
      ...{ vendor, upstream_model, status, error, first_byte_ms },
      duration_ms: toInt(row.attempt_duration_ms),
    };
    return [{ ...attempt, ...(credential !== null && { credential }), ...(why !== undefined && { why }) }];
  }
}

function known<Value>(values: Map<number, Value>, no: number, read: () => Value): Value {
  let value = values.get(no);
  if (value === undefined) {
    value = read();
    values.set(no, value);
  }
  return value;
}
