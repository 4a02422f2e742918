import { Database, SQLiteError, type Statement } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { StoreNotice } from "../../core/operations/incidents.ts";
import { recoverOpen } from "../recovery/recover.ts";
import { schemaVersion } from "../schema/migrate.ts";
import { type ChainEnd, readLastCommit } from "../sqlite/chain.ts";
import { DatabaseMoved, describeMove, readMove, writeMove } from "../sqlite/moved-to.ts";
import { DatabaseInUse, type Ownership, takeOwnership } from "../sqlite/owner-lock.ts";
import { realPath } from "../sqlite/paths.ts";
import { SqliteBooks } from "../sqlite/sqlite-books.ts";
import { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import {
  type Column,
  keyOf,
  type MovedValue,
  nameOf,
  type PlannedTable,
  type Position,
  positionOf,
  type Row,
  type Schema,
} from "./plan.ts";

/** The most that one transaction copies: a number of rows, or a little more than a number of bytes. */
export interface ChunkSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows that follow each other by their key. */
interface Chunk {
  readonly rows: readonly Row[];
  /** The last row's key; null where there are no rows. */
  readonly last: Position | null;
}

/** The character that replaces a NUL character where the operator asks for it. */
const REPLACEMENT = "\uFFFD";
/** How many texts that cannot be stored are named. */
const NAMED_AT_MOST = 10;

/**
 * The embedded database that is moved. It is owned for as long as it is open, so that no gateway serves it and no second move reads it.
 * Opening it does what a gateway's start does: the journal is written to the tables, and holds that a process left open are ended by
 * their rule (docs/rulings.md 43). Nothing else in it changes before `markMoved`.
 */
export class FileSource {
  readonly path: string;
  /** The last commit that the file has: the file is unchanged while its last commit is. */
  readonly end: ChainEnd;
  readonly #ownership: Ownership;
  readonly #books: SqliteBooks;
  readonly #reader: Database;
  readonly #prepared = new Map<string, Statement>();
  readonly #replaces_nul: boolean;

  private constructor(path: string, { books, ownership, end, replaces_nul }: Opened) {
    this.path = path;
    this.end = end;
    this.#ownership = ownership;
    this.#books = books;
    this.#replaces_nul = replaces_nul;
    this.#reader = new Database(path, { readonly: true, safeIntegers: true });
  }

  /** Throws with a sentence for the operator. */
  static open(
    given: string,
    { replaces_nul, notify }: { replaces_nul: boolean; notify: (notice: StoreNotice) => void },
  ): FileSource {
    if (!existsSync(given)) throw new Error(`There is no database at ${given}.`);
    const path = realPath(given);
    const ownership = owned(path, given);
    let books: SqliteBooks | null = null;
    try {
      requireDatabase(path, given);
      books = SqliteBooks.openWriter(path, { notify });
      while (books.run(recoverOpen("sqlite")).more);
      books.checkpoint();
      const end = books.run(readLastCommit());
      if (end === null) throw new Error(`${given} has no chain of commits`);
      return new FileSource(path, { books, ownership, end, replaces_nul });
    } catch (thrown) {
      books?.close();
      ownership.release();
      throw thrown;
    }
  }

  schema(): Schema {
    const tables = this.#reader
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      )
      .all();
    return new Map(tables.map(({ name }) => [name, this.#columnsOf(name)]));
  }

  #columnsOf(table: string): Column[] {
    const found = this.#reader
      .query<{ name: string; type: string }, [string]>("SELECT name, type FROM pragma_table_info(?)")
      .all(table);
    const types = { INTEGER: "bigint", BLOB: "bytea" } as Readonly<Record<string, "bigint" | "bytea">>;
    return found.map(({ name, type }) => ({ name, type: types[type] ?? "text" }));
  }

  count(table: string): number {
    return Number(this.#reader.query<{ rows: bigint }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0);
  }

  /** The rows behind a position in the order of the table's key; from the first on where it is null. */
  chunk(table: PlannedTable, after: Position | null, size: ChunkSize): Chunk {
    const rows: Row[] = [];
    let bytes = 0;
    const selected = this.#select(table, after === null);
    const params = after === null ? [] : keyOf(table, after);
    for (const found of selected.iterate(...params, size.rows) as Iterable<Record<string, MovedValue>>) {
      const row = table.columns.map(({ name }) => this.#cell(found[name] ?? null));
      rows.push(row);
      for (const cell of row) bytes += typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 8;
      if (bytes >= size.bytes) break;
    }
    const last = rows.at(-1);
    return { rows, last: last === undefined ? null : positionOf(table, last) };
  }

  #select({ name, columns, key }: PlannedTable, is_first: boolean): Statement {
    const id = `${name} ${is_first}`;
    const known = this.#prepared.get(id);
    if (known !== undefined) return known;
    const names = key.map((column) => column.name).join(", ");
    const behind = is_first ? "" : `WHERE (${names}) > (${key.map(() => "?").join(", ")})`;
    const prepared = this.#reader.prepare(
      `SELECT ${columns.map(selected).join(", ")} FROM ${name} ${behind} ORDER BY ${names} LIMIT ?`,
    );
    this.#prepared.set(id, prepared);
    return prepared;
  }

  #cell(value: MovedValue): MovedValue {
    return this.#replaces_nul && typeof value === "string" ? value.replaceAll("\0", REPLACEMENT) : value;
  }

  /**
   * Where there are texts with a NUL character, which PostgreSQL does not store, and which is not replaced: the first of them, and how many
   * more there are. In a key it is never replaced: the rows have another order then, and two may become one.
   */
  unstorable(tables: readonly PlannedTable[]): { readonly places: readonly string[]; readonly more: number } {
    const places: string[] = [];
    let more = 0;
    for (const table of tables) {
      for (const { name, type, read_as } of this.#replaces_nul ? table.key : table.columns) {
        // A computed value is looked for in the table from which it comes.
        if (type !== "text" || read_as !== undefined) continue;
        const all = table.columns.map(selected).join(", ");
        const having = this.#reader.prepare(`SELECT ${all} FROM ${table.name} WHERE instr(${name}, char(0)) > 0`);
        for (const found of having.iterate() as Iterable<Record<string, MovedValue>>) {
          if (places.length === NAMED_AT_MOST) more += 1;
          else
            places.push(
              `${name} of ${nameOf(
                table,
                table.columns.map((column) => found[column.name] ?? null),
              )}`,
            );
        }
        having.finalize();
      }
    }
    return { places, more };
  }

  /** Takes note in the file that another database goes on with it: no gateway starts on it from now on. */
  markMoved(target: string): void {
    this.#books.run(writeMove(target));
    this.#books.checkpoint();
  }

  close(): void {
    for (const prepared of this.#prepared.values()) prepared.finalize();
    this.#reader.close();
    this.#books.close();
    this.#ownership.release();
  }
}

function selected({ name, read_as }: Column): string {
  return read_as === undefined ? name : `${read_as} AS ${name}`;
}

interface Opened {
  readonly books: SqliteBooks;
  readonly ownership: Ownership;
  readonly end: ChainEnd;
  readonly replaces_nul: boolean;
}

function owned(path: string, given: string): Ownership {
  try {
    return takeOwnership(path, given);
  } catch (thrown) {
    if (!(thrown instanceof DatabaseInUse)) throw thrown;
    throw new Error(
      `The database ${given} is in use: a gateway serves it, or another move reads it. Stop that first; what is charged meanwhile ` +
        "would be lost.",
      { cause: thrown },
    );
  }
}

/** Refuses a file that is no database of Camino's, before anything is written to it. */
function requireDatabase(path: string, given: string): void {
  let looker: SqliteDatabase | null = null;
  try {
    looker = new SqliteDatabase(path, "looker");
    if (looker.run(schemaVersion()) === 0) throw new Error(`${given} is no database of Camino's.`);
    const move = looker.run(readMove());
    if (move !== null) throw new DatabaseMoved(describeMove(given, move));
  } catch (thrown) {
    if (!(thrown instanceof SQLiteError && thrown.code === "SQLITE_NOTADB")) throw thrown;
    throw new Error(`${given} is no database of Camino's.`, { cause: thrown });
  } finally {
    looker?.close();
  }
}
