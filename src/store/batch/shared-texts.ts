import { insertEach, lookup } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

/**
 * Texts that many rows of requests have (an endpoint, a model, a price, the vendor and the model of an attempt) stand in the table
 * `texts` once, and the rows have references in their place (docs/design/storage.md): `#12`, and `#12,350,1200` for a single attempt that
 * took as long. Any of these columns may have the text itself: in rows of requests that run, or with several attempts.
 */
export const SIGN = "#";

/** Longer texts stay in their rows: PostgreSQL's index takes 2,704 bytes, and a character is three at most. */
const LONGEST = 600;
/** How many references are remembered. There are a few for each model. */
const REMEMBERED = 5000;

const selectNumbers = lookup("SELECT text, no FROM texts", { text: "text" });
const insertTexts = insertEach("texts", { text: "text" }, { conflict: "(text) DO NOTHING" });
const selectTexts = lookup("SELECT no, text FROM texts", { no: "bigint" });

interface TextRow {
  readonly no: unknown;
  readonly text: string;
}

const NONE: ReadonlySet<string> = new Set();

/** Adds texts to the database, in an order that all nodes keep. */
export function* addTexts(texts: ReadonlySet<string>): Work<void> {
  yield* rows(
    insertTexts,
    [...texts].toSorted().map((text) => [text]),
  );
}

/** The reference that stands for a text; the text itself where it has none. */
export type ReferenceOf = (text: string) => string;

/**
 * References that are known to be in the database. What a transaction adds is remembered only when a later one has found it: the
 * transaction may be rolled back.
 */
export class SharedTexts {
  readonly #references = new Map<string, string>();
  readonly #is_aside: boolean;
  readonly #missing = new Set<string>();

  /** `is_aside`: texts that the database has not are added in a transaction of their own, and rows have the texts themselves until then. */
  constructor({ is_aside = false }: { readonly is_aside?: boolean } = {}) {
    this.#is_aside = is_aside;
  }

  /** Forgets all references, where the database may be another than it was. */
  forget(): void {
    this.#references.clear();
  }

  /** The texts that were missing since they were last asked for, where others add them. */
  takeMissing(): ReadonlySet<string> {
    if (this.#missing.size === 0) return NONE;
    const missing = new Set(this.#missing);
    this.#missing.clear();
    return missing;
  }

  has(text: string): boolean {
    return this.#references.has(text) || text.length > LONGEST;
  }

  /** Adds those of the texts that the database has not, and returns the references of these and of all that are known. */
  *references(unknown: ReadonlySet<string>): Work<ReferenceOf> {
    const known = this.#references;
    if (unknown.size === 0) return (text) => known.get(text) ?? text;
    // In an order that all nodes keep, so that two that add the same texts never wait for each other in a circle.
    const asked = [...unknown].toSorted().map((text) => [text]);
    const found = yield* rows<TextRow>(selectNumbers, asked);
    if (known.size + found.length > REMEMBERED) known.clear();
    for (const { no, text } of found) known.set(text, `${SIGN}${toInt(no)}`);
    const missing = asked.filter(([text = ""]) => !known.has(text));
    if (this.#is_aside) for (const [text = ""] of missing) this.#missing.add(text);
    if (missing.length === 0 || this.#is_aside) return (text) => known.get(text) ?? text;
    yield* rows(insertTexts, missing);
    const added = new Map<string, string>();
    for (const { no, text } of yield* rows<TextRow>(selectNumbers, missing)) added.set(text, `${SIGN}${toInt(no)}`);
    return (text) => known.get(text) ?? added.get(text) ?? text;
  }
}

/**
 * The part of a single attempt's text that many requests share, up to its two times; null for other texts. The text is JSON in
 * the short form (short-texts.ts), `[[vendor,model,status,error,first_byte_ms,duration_ms]]`, and is not parsed: this is done for
 * every request.
 */
export function sharedPart(attempts: string): string | null {
  if (!attempts.startsWith("[[") || attempts.includes("],[")) return null;
  // The reason of a failed attempt stands at the end, as an object (attempt-details.ts), and no other request has the same one.
  if (attempts.charCodeAt(attempts.length - 3) === CLOSING_BRACE) return null;
  const end = timesAt(attempts);
  // A longer row has a number before its last two values.
  const last = attempts.charCodeAt(end - 1);
  return last === QUOTE || last === LAST_OF_NULL ? attempts.slice(2, end) : null;
}

const CLOSING_BRACE = 0x7d;
const QUOTE = 0x22;
const LAST_OF_NULL = 0x6c;

/** The position at which the last two values of a single attempt begin, with their comma. */
function timesAt(attempts: string): number {
  return attempts.lastIndexOf(",", attempts.lastIndexOf(",") - 1);
}

/** Attempts as a row has them. */
export function referringAttempts(attempts: string, referenceOf: ReferenceOf): string {
  const shared = sharedPart(attempts);
  if (shared === null) return attempts;
  const reference = referenceOf(shared);
  return reference === shared ? attempts : reference + attempts.slice(2 + shared.length, -2);
}

/** The columns of `requests` that may have references. */
export type SharedColumn = "endpoint" | "model" | "price" | "attempts";

/**
 * The rows with the texts in place of their references. A reference whose text is missing stays; a price or attempts cannot be read
 * then (readPrice, readAttempts).
 */
export function* withTexts<Column extends SharedColumn, Row extends Readonly<Record<Column, string>>>(
  found: readonly Row[],
  columns: readonly Column[],
): Work<Row[]> {
  const texts = yield* readTexts(found, columns);
  if (texts.size === 0) return [...found];
  return found.map((row) => {
    const read: Partial<Record<SharedColumn, string>> = {};
    for (const column of columns) if (refers(row[column])) read[column] = textOf(row[column], texts);
    return { ...row, ...read };
  });
}

/** The texts that rows refer to, by their numbers. */
export function* readTexts<Column extends SharedColumn>(
  found: readonly Readonly<Record<Column, string>>[],
  columns: readonly Column[],
): Work<ReadonlyMap<number, string>> {
  const numbers = new Set<number>();
  for (const row of found) for (const column of columns) if (refers(row[column])) numbers.add(numberOf(row[column]));
  const texts = new Map<number, string>();
  if (numbers.size === 0) return texts;
  const asked = Array.from(numbers, (no) => [no]);
  for (const { no, text } of yield* rows<TextRow>(selectTexts, asked)) texts.set(toInt(no), text);
  return texts;
}

/** A condition that a column is a text or refers to it. It takes the text as its parameter twice. */
export function isText(column: SharedColumn): string {
  return `${column} IN (?, (SELECT '${SIGN}' || no FROM texts WHERE text = ?))`;
}

function refers(column: string): boolean {
  return column.startsWith(SIGN);
}

/** The number of a reference, which ends at a comma or with the column. */
function numberOf(column: string): number {
  const times_at = column.indexOf(",");
  return wholeAt(column, SIGN.length, times_at === -1 ? column.length : times_at);
}

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** So many digits are always an exact number. */
const MOST_DIGITS = 15;

/**
 * The whole number that stands in a part of a column; NaN where anything but digits stands there. It makes no text of the part: the
 * columns of every finished request are read in this way.
 */
export function wholeAt(column: string, from: number, to: number): number {
  if (to <= from || to - from > MOST_DIGITS) return Number.NaN;
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = column.charCodeAt(at);
    if (digit < DIGIT_0 || digit > DIGIT_9) return Number.NaN;
    number = number * 10 + digit - DIGIT_0;
  }
  return number;
}

/** A column's text, also where the column is a reference; the column itself where the referenced text is missing. */
export function textOf(column: string, texts: ReadonlyMap<number, string>): string {
  if (!refers(column)) return column;
  const text = texts.get(numberOf(column));
  if (text === undefined) return column;
  const times = column.indexOf(",");
  return times === -1 ? text : `[[${text}${column.slice(times)}]]`;
}
