import type { NumberOf } from "../record/shared-attempt.ts";
import { insertEach, lookup } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

/**
 * Texts that many requests have alike (an endpoint, a model, a price list, the fixed part of an attempt) stand in the table `texts`
 * once, and the rows of requests have their numbers (docs/design/storage.md). A text is found by its digest: an index of PostgreSQL takes no
 * text of any length.
 */

/** How many numbers are remembered. There are a few for each model. */
const REMEMBERED = 5000;

const selectNumbers = lookup("SELECT text, no FROM texts", { digest: "text" });
const insertTexts = insertEach("texts", { digest: "text", text: "text" }, { conflict: "(digest) DO NOTHING" });

interface TextRow {
  readonly no: unknown;
  readonly text: string;
}

/** Adds texts to the database, in an order that all nodes keep, so that two that add the same never wait for each other in a circle. */
function* addTexts(texts: ReadonlySet<string>): Work<void> {
  yield* rows(
    insertTexts,
    [...texts].toSorted().map((text) => [digestOf(text), text]),
  );
}

/** By which a text is found in `texts`. */
export function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64");
}

/**
 * Numbers that are known to be in the database. What a transaction adds is remembered only when a later one has found it: the
 * transaction may be rolled back.
 */
export class SharedTexts {
  #numbers = new Map<string, number>();

  /** Forgets all numbers, where the database may be another than it was. */
  forget(): void {
    this.#numbers.clear();
  }

  has(text: string): boolean {
    return this.#numbers.has(text);
  }

  /** Adds those of the texts that the database has not, and returns the numbers of these and of all that are known. */
  *numbers(unknown: ReadonlySet<string>): Work<NumberOf> {
    const known = this.#numbers;
    if (unknown.size > 0) {
      const missing = yield* find(unknown, known);
      if (missing.size > 0) return yield* this.#adding(missing);
      if (known.size > REMEMBERED) this.#numbers = new Map();
    }
    return (text) => numberIn(known, text);
  }

  *#adding(missing: ReadonlySet<string>): Work<NumberOf> {
    yield* addTexts(missing);
    const with_added = new Map(this.#numbers);
    yield* find(missing, with_added);
    return (text) => numberIn(with_added, text);
  }
}

/** Adds the numbers of texts to those that are known. Returns the texts that the database has not. */
function* find(texts: ReadonlySet<string>, known: Map<string, number>): Work<ReadonlySet<string>> {
  const asked = Array.from(texts, (text) => [digestOf(text)]);
  for (const { no, text } of yield* rows<TextRow>(selectNumbers, asked)) known.set(text, toInt(no));
  return new Set([...texts].filter((text) => !known.has(text)));
}

function numberIn(known: ReadonlyMap<string, number>, text: string): number {
  const number = known.get(text);
  if (number === undefined) throw new Error(`the text ${text} has no number`);
  return number;
}
