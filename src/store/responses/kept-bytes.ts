import { type MarkName, readMark } from "../sql/marks.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** A row's size, as statements return it that make or delete rows. */
export interface Sized {
  readonly bytes: unknown;
}

export function bytesOf(found: readonly Sized[]): number {
  return found.reduce((sum, { bytes }) => sum + toInt(bytes), 0);
}

const add = sql("UPDATE marks SET value = value + ? WHERE name = ? RETURNING value");
const begin = (table: string) =>
  sql(
    `INSERT INTO marks (name, value) SELECT ?, coalesce(sum(bytes), 0) FROM ${table} WHERE bytes > 0
      ON CONFLICT (name) DO UPDATE SET value = marks.value + ?`,
  );

/** What the rows of a table take, kept as a total: it is read at once however many there are. */
export class KeptBytes {
  readonly #name: MarkName;
  readonly #begin: ReturnType<typeof begin>;

  constructor(name: MarkName, table: string) {
    this.#name = name;
    this.#begin = begin(table);
  }

  *read(): Work<number> {
    return (yield* readMark(this.#name)) ?? 0;
  }

  /** Counts rows that were made and deleted: last of all in their transaction, as others that count wait for its end. */
  *count(made: readonly Sized[], gone: readonly Sized[]): Work<void> {
    const more = bytesOf(made) - bytesOf(gone);
    if (more === 0) return;
    if ((yield* row(add, [more, this.#name])) !== null) return;
    // The first time everything is added up once, with what was just made.
    yield* rows(this.#begin, [this.#name, more]);
  }
}
