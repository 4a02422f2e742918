import type { AuditReport } from "../../core/ledger/books-audit.ts";
import type { OnProgress } from "../../core/operations/on-progress.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openPostgresBooks } from "../postgres/open-postgres-books.ts";
import { messageOf, sqlState } from "../postgres/store-trouble.ts";
import { digestText } from "../sqlite/chain.ts";
import { openSqliteBooks } from "../sqlite/open-sqlite-books.ts";
import { type ChunkSize, FileSource } from "./file-source.ts";
import { type MovedValue, nameOf, type PlannedTable, type Position, planMove, type Row } from "./plan.ts";
import { PostgresTarget, type Progress } from "./postgres-target.ts";

export interface StoreMoveOptions {
  /** The embedded database's file. */
  readonly from: string;
  /** `postgres://…`, a database without rows. */
  readonly to: string;
  /** Whether NUL characters in texts, which PostgreSQL does not store, are replaced by U+FFFD; otherwise they are refused. */
  readonly replaces_nul?: boolean;
  readonly onProgress?: OnProgress;
  /** Gets the repairs that opening the file made. */
  readonly onNotice?: (message: string) => void;
  readonly size?: ChunkSize;
}

interface MovedStore {
  /** The address of the new database, without the user's name and password. */
  readonly target: string;
  /** Whether an earlier run had come to the end already. */
  readonly was_complete: boolean;
  /** How many rows each table has, in both databases. */
  readonly tables: Readonly<Record<string, number>>;
  readonly accounts: number;
  /** The findings of the audit in the new database: the file's books had the same, so the move caused none of them. */
  readonly problems: readonly string[];
}

const SIZE: ChunkSize = { rows: 2000, bytes: 4 << 20 };

/**
 * Moves the embedded database to PostgreSQL, or goes on with a move that was stopped (docs/design/moving.md). The file is owned meanwhile, and read.
 * When every row of every table is there and equal, and the audit of the new database finds nothing that the file has not, gateways may start
 * on it, and the file is marked. Rejects with a sentence for the operator; the copied rows stay, and the file is as usable as before.
 */
export async function moveStore(options: StoreMoveOptions): Promise<MovedStore> {
  const { from, to, replaces_nul = false, onProgress = () => {}, onNotice = () => {}, size = SIZE } = options;
  const target = await PostgresTarget.open(to);
  try {
    const source = FileSource.open(from, { replaces_nul, notify: ({ message }) => onNotice(message) });
    try {
      return await new StoreMove(source, target, { to, onProgress, size }).run(replaces_nul);
    } finally {
      source.close();
    }
  } finally {
    await target.close();
  }
}

interface Means {
  readonly to: string;
  readonly onProgress: OnProgress;
  readonly size: ChunkSize;
}

class StoreMove {
  readonly #source: FileSource;
  readonly #target: PostgresTarget;
  readonly #means: Means;
  readonly #tables: readonly PlannedTable[];

  constructor(source: FileSource, target: PostgresTarget, means: Means) {
    this.#source = source;
    this.#target = target;
    this.#means = means;
    this.#tables = planMove(source.schema(), target.schema());
  }

  async run(replaces_nul: boolean): Promise<MovedStore> {
    const { description } = this.#target;
    this.#requireStorable(replaces_nul);
    const { history, seq, digest } = this.#source.end;
    const progress = await this.#target.begin({ history, seq, digest: digestText(digest) });
    if (progress === null) {
      this.#mark();
      return { target: description, was_complete: true, tables: {}, accounts: 0, problems: [] };
    }
    const counts = new Map(this.#tables.map(({ name }) => [name, this.#source.count(name)]));
    await this.#stoppable(() => this.#copy(progress, counts));
    await this.#compare(counts);
    const problems = await this.#audit();
    await this.#target.end();
    this.#mark();
    const accounts = counts.get("accounts") ?? 0;
    return { target: description, was_complete: false, tables: Object.fromEntries(counts), accounts, problems };
  }

  #requireStorable(replaces_nul: boolean): void {
    this.#means.onProgress("checking texts", 0, 1);
    const { places, more } = this.#source.unstorable(this.#tables);
    if (places.length === 0) return;
    throw new Error(
      `PostgreSQL stores no NUL character (U+0000), and there is one in ${places.join("; ")}${more > 0 ? `; and in ${more} more` : ""}. ` +
        (replaces_nul
          ? "It is a part of the row's key there, which is not replaced: delete what has it."
          : "With --replace-nul the copy has U+FFFD there; the file stays as it is."),
    );
  }

  async #copy(begun: Progress, counts: ReadonlyMap<string, number>): Promise<void> {
    const { onProgress, size } = this.#means;
    const of = sum(counts.values());
    let progress = begun;
    let done = sum(Object.values(begun).map(({ rows }) => rows));
    if (done > 0) onProgress("going on", done, of);
    for (const table of this.#tables) {
      let { rows, after, is_whole } = progress[table.name] ?? { rows: 0, after: null, is_whole: false };
      while (!is_whole) {
        const chunk = this.#source.chunk(table, after, size);
        is_whole = chunk.last === null;
        after = chunk.last ?? after;
        rows += chunk.rows.length;
        progress = { ...progress, [table.name]: { rows, after, is_whole } };
        await this.#target.write(table, chunk.rows, progress);
        done += chunk.rows.length;
        onProgress("copying", done, of);
      }
    }
    await this.#target.settle(this.#tables);
  }

  async #compare(counts: ReadonlyMap<string, number>): Promise<void> {
    const { onProgress, size } = this.#means;
    const of = sum(counts.values());
    const differences: string[] = [];
    let done = 0;
    const onRows = (rows: number): void => {
      done += rows;
      onProgress("comparing", done, of);
    };
    for (const table of this.#tables) {
      const { rows, difference } = await compareTable(this.#source, this.#target, table, { size, onRows });
      if (difference !== null) differences.push(difference);
      else if (rows !== counts.get(table.name)) differences.push(`${table.name} changed while it was read`);
    }
    if (differences.length === 0) return;
    throw new Error(
      `${this.#target.description} is not what the file is: ${differences.join("; ")}. Make it anew, empty, and run this again.`,
    );
  }

  /** The audit of the new database. Its findings must be in the file too, as all rows are equal. */
  async #audit(): Promise<readonly string[]> {
    this.#means.onProgress("auditing", 0, 1);
    const { problems } = await auditOf(await openPostgresBooks(this.#means.to));
    if (problems.length === 0) return [];
    const known = new Set((await auditOf(openSqliteBooks(this.#source.path))).problems);
    const fresh = problems.filter((problem) => !known.has(problem));
    if (fresh.length === 0) return problems;
    throw new Error(
      `The audit of ${this.#target.description} finds what that of the file does not: ${fresh.join("; ")}`,
    );
  }

  #mark(): void {
    const { description } = this.#target;
    try {
      this.#source.markMoved(description);
    } catch (thrown) {
      throw new Error(
        `${description} has everything, and gateways start on it. But ${this.#source.path} could not be marked as moved: ${messageOf(thrown)}. ` +
          "Run this again, or see to it that no gateway is started on the file.",
        { cause: thrown },
      );
    }
  }

  /** Says of a failure of the server's that nothing is lost by it. */
  async #stoppable(copy: () => Promise<void>): Promise<void> {
    try {
      await copy();
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable) && sqlState(thrown) === "") throw thrown;
      throw new Error(
        `The copy to ${this.#target.description} stopped: ${messageOf(thrown)}. What is copied stays: run this again, and it goes on.`,
        { cause: thrown },
      );
    }
  }
}

async function auditOf(books: { audit(): Promise<AuditReport>; close(): Promise<void> } | null): Promise<AuditReport> {
  if (books === null) throw new Error("the database is gone");
  try {
    return await books.audit();
  } finally {
    await books.close();
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** How a table's rows compare: how many the file has, and the first row that differs; null where all are equal. */
interface Comparison {
  readonly rows: number;
  readonly difference: string | null;
}

/**
 * Compares a table row by row, in the order of its key. Values are not named: they may be secrets' hashes. Memory holds one chunk of each
 * database.
 */
async function compareTable(
  source: FileSource,
  target: PostgresTarget,
  table: PlannedTable,
  { size, onRows }: { readonly size: ChunkSize; readonly onRows: (rows: number) => void },
): Promise<Comparison> {
  let rows = 0;
  let after: Position | null = null;
  for (;;) {
    const expected = source.chunk(table, after, size);
    // One row more where the file has no further rows: the other database must have none either.
    const found = await target.chunk(table, after, Math.max(1, expected.rows.length));
    const difference = differenceOf(table, expected.rows, found);
    rows += expected.rows.length;
    onRows(expected.rows.length);
    if (difference !== null || expected.last === null) return { rows, difference };
    after = expected.last;
  }
}

function differenceOf(table: PlannedTable, expected: readonly Row[], found: readonly Row[]): string | null {
  for (let at = 0; at < Math.max(expected.length, found.length); at += 1) {
    const [here, there] = [expected[at], found[at]];
    if (here === undefined) return `${nameOf(table, there ?? [])} is in the new database alone`;
    if (there === undefined) return `${nameOf(table, here)} is missing in the new database`;
    if (nameOf(table, here) !== nameOf(table, there)) {
      return `where the file has ${nameOf(table, here)}, the new database has ${nameOf(table, there)}`;
    }
    const apart = table.columns.filter((_, column) => !isSame(here[column] ?? null, there[column] ?? null));
    if (apart.length > 0) return `${nameOf(table, here)} differs in ${apart.map(({ name }) => name).join(", ")}`;
  }
  return null;
}

function isSame(one: MovedValue, other: MovedValue): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
