import { systemClock } from "../../core/clock.ts";
import { describe } from "../postgres/open-postgres.ts";
import { changePartitions } from "../postgres/own-connection.ts";
import { BY_KEY, PostgresDatabase } from "../postgres/postgres-database.ts";
import { inspectServer, requireWritable } from "../postgres/server-watch.ts";
import { messageOf } from "../postgres/store-trouble.ts";
import { migrate } from "../schema/migrate.ts";
import { now_ms } from "../sql/clock.ts";
import { onPostgres, type SetStatement, type Statement } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { makeMonths } from "../upkeep/make-months.ts";
import {
  type Column,
  keyOf,
  type MovedValue,
  type PlannedTable,
  type Position,
  type Row,
  type Schema,
} from "./plan.ts";
import { MOVED } from "./tables.ts";

/** A chunk is written, and a large table's statistics are taken, within this. */
const DEADLINE_MS = 600_000;
/** Requests of this last time get parts by month: retention keeps requests for this long by default. */
const MONTHS_MS = 396 * 86_400_000;
/** A node that has shown itself so lately may still run. */
const ALIVE_MS = 60_000;

/** The database that is moved, as the target names it. */
interface Origin {
  readonly history: string;
  readonly seq: number;
  readonly digest: string;
}

/** How far a table is: how many of its rows are copied, the last one's key, and whether there are no more. */
interface TableProgress {
  readonly rows: number;
  readonly after: Position | null;
  readonly is_whole: boolean;
}

/** How far a move is, by the names of the tables. A table that is not there has not begun. */
export type Progress = Readonly<Record<string, TableProgress>>;

const selectMove = onPostgres(
  "SELECT history, commit_seq, commit_digest, progress, ended_ms FROM moved_from FOR UPDATE",
);
const insertMove = onPostgres(
  `INSERT INTO moved_from (one, history, commit_seq, commit_digest, progress, started_ms) VALUES (1, ?, ?, ?, '{}', ?)
    ON CONFLICT (one) DO NOTHING RETURNING one`,
);
const advance = onPostgres("UPDATE moved_from SET progress = ? WHERE progress = ? AND ended_ms IS NULL RETURNING one");
const end = onPostgres("UPDATE moved_from SET ended_ms = ? WHERE progress = ? AND ended_ms IS NULL RETURNING one");
const forgetBegun = onPostgres("DELETE FROM moved_from WHERE progress = '{}' AND ended_ms IS NULL");
const countAlive = onPostgres("SELECT count(*) AS nodes FROM nodes WHERE beat_ms > ?");
const selectColumns = onPostgres(
  `SELECT c.relname AS table_name, a.attname AS name, format_type(a.atttypid, NULL) AS type,
      coalesce(pg_get_serial_sequence(quote_ident(c.relname), a.attname),
        substring(pg_get_expr(d.adbin, d.adrelid) FROM 'nextval\\(''([^'']+)''')) AS sequence
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY c.relname, a.attnum`,
);
/** The laws of entries were kept when they were written. They name requests that may be deleted since then. */
const switchLaw = (how: "DISABLE" | "ENABLE"): Statement =>
  onPostgres(`ALTER TABLE entries ${how} TRIGGER entries_hold_together`);
const lawsOff = switchLaw("DISABLE");
const lawsOn = switchLaw("ENABLE");

interface ColumnRow {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  readonly sequence: string | null;
}

interface MoveRow {
  readonly history: string;
  readonly commit_seq: unknown;
  readonly commit_digest: string;
  readonly progress: string;
  readonly ended_ms: unknown;
}

/** Thrown where another process fills the same database. */
class MovedElsewhere extends Error {
  constructor(description: string) {
    super(
      `Another \`camino migrate-store\` fills ${description}. Let it come to its end, or stop it and run this again.`,
    );
  }
}

class GatewayRuns extends Error {
  constructor(description: string) {
    super(`A gateway runs on ${description}, or did a minute ago. Stop it: it starts again when all is copied.`);
  }
}

/** The PostgreSQL database that an embedded one is moved to. */
export class PostgresTarget {
  readonly description: string;
  readonly #url: string;
  readonly #database: PostgresDatabase;
  /** The state that the row of the move has now. */
  #written = "{}";
  #columns: readonly ColumnRow[] = [];
  readonly #inserts = new Map<string, SetStatement>();
  readonly #selects = new Map<string, Statement>();

  private constructor(url: string, database: PostgresDatabase) {
    this.#url = url;
    this.description = describe(url);
    this.#database = database;
  }

  /** Brings the schema up to date. Rejects with a sentence for the operator. */
  static async open(url: string): Promise<PostgresTarget> {
    // An acknowledged commit must be on the disk, as the file is marked after it.
    const settings = { ...BY_KEY, synchronous_commit: "on" };
    const database = new PostgresDatabase({ url, connections: 1, deadline_ms: DEADLINE_MS, settings });
    const target = new PostgresTarget(url, database);
    try {
      requireWritable(await database.read(inspectServer));
      await database.write(() => migrate("postgres"));
      target.#columns = await database.read(() => rows<ColumnRow>(selectColumns));
      return target;
    } catch (thrown) {
      await database.close();
      throw new Error(`The database ${target.description} cannot be used: ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  schema(): Schema {
    const tables = new Map<string, Column[]>();
    for (const { table_name, name, type } of this.#columns) {
      const columns = tables.get(table_name) ?? [];
      columns.push({ name, type: TYPES[type] ?? "text" });
      tables.set(table_name, columns);
    }
    return tables;
  }

  /**
   * Begins the move, or goes on with it: returns how far it is, or null where it has ended already. Rejects where the database has something
   * else in it. From now on no gateway starts on it before the move has ended.
   */
  async begin(origin: Origin): Promise<Progress | null> {
    const begun = await this.#database.write(() => this.#begin(origin));
    if (begun === null) return null;
    // A gateway that started a moment ago has seen the move, or is seen here.
    await this.#database.write(() => this.#requireNoGateway());
    await changePartitions(this.#url, () => makeMonths(systemClock.now_ms() - MONTHS_MS));
    this.#written = begun;
    return JSON.parse(begun);
  }

  *#begin({ history, seq, digest }: Origin): Work<string | null> {
    const found = yield* row<MoveRow>(selectMove);
    const { description } = this;
    if (found === null) {
      yield* requireEmpty(description);
      if ((yield* aliveNodes()) > 0) throw new GatewayRuns(description);
      const begun = yield* rows(insertMove, [history, seq, digest, yield* now_ms()]);
      if (begun.length === 0) throw new MovedElsewhere(description);
      return "{}";
    }
    if (found.history !== history) {
      throw new Error(`${description} is filled from another database. Name a database that is empty.`);
    }
    if (toInt(found.commit_seq) !== seq || found.commit_digest !== digest) {
      throw new Error(
        `The embedded database was used since its move to ${description} began (commit ${toInt(found.commit_seq)} then, ${seq} now), so ` +
          `what is copied may be old. Make ${description} anew, empty, and run this again.`,
      );
    }
    return toIntOrNull(found.ended_ms) === null ? found.progress : null;
  }

  /** A move that has copied nothing leaves the database as it was. */
  *#requireNoGateway(): Work<void> {
    if ((yield* aliveNodes()) === 0) return;
    yield* rows(forgetBegun);
    throw new GatewayRuns(this.description);
  }

  /** Writes rows of a table and how far the move is then, in one transaction. */
  async write(table: PlannedTable, chunk: readonly Row[], progress: Progress): Promise<void> {
    const next = JSON.stringify(progress);
    await this.#database.write(() => this.#write(table, chunk, next));
    this.#written = next;
  }

  *#write(table: PlannedTable, chunk: readonly Row[], next: string): Work<void> {
    // First: another process that fills the database waits for this row, and then finds that the move has gone on.
    const advanced = yield* rows(advance, [next, this.#written]);
    if (advanced.length === 0) throw new MovedElsewhere(this.description);
    if (chunk.length === 0) return;
    if (table.name === "entries") yield* rows(lawsOff);
    yield* rows(this.#insert(table), chunk);
    if (table.name === "entries") yield* rows(lawsOn);
  }

  #insert({ name, columns }: PlannedTable): SetStatement {
    let statement = this.#inserts.get(name);
    if (statement === undefined) {
      const values = columns.map(({ type }, at) =>
        type === "bytea" ? `decode(v->>${at}, 'base64')` : `(v->>${at})::${type}`,
      );
      statement = {
        sqlite: "",
        postgres: `INSERT INTO ${name} (${columns.map((column) => column.name).join(", ")}) OVERRIDING SYSTEM VALUE
          SELECT ${values.join(", ")} FROM jsonb_array_elements($1::text::jsonb) AS v`,
        set: columns.map(({ type }) => type),
      };
      this.#inserts.set(name, statement);
    }
    return statement;
  }

  /** The next rows behind a position in the order of the table's key, with the file's values. */
  async chunk(table: PlannedTable, after: Position | null, limit: number): Promise<readonly Row[]> {
    const params = [...(after === null ? [] : keyOf(table, after)), limit];
    const statement = this.#select(table, after === null);
    const found = await this.#database.read(() => rows<Record<string, unknown>>(statement, params));
    return found.map((each) => table.columns.map(({ name, type }) => toCell(each[name], type)));
  }

  #select({ name, columns, key }: PlannedTable, is_first: boolean): Statement {
    const id = `${name} ${is_first}`;
    let statement = this.#selects.get(id);
    if (statement === undefined) {
      const names = key.map((column) => column.name).join(", ");
      const behind = is_first ? "" : `WHERE (${names}) > (${key.map(({ type }) => `CAST(? AS ${type})`).join(", ")})`;
      const all = columns.map((column) => column.name).join(", ");
      statement = onPostgres(`SELECT ${all} FROM ${name} ${behind} ORDER BY ${names} LIMIT ?`);
      this.#selects.set(id, statement);
    }
    return statement;
  }

  /** Sets the sequences beyond the numbers that were copied, and has the planner look at the tables. */
  async settle(tables: readonly PlannedTable[]): Promise<void> {
    const names = new Set(tables.map(({ name }) => name));
    for (const { table_name, name, sequence } of this.#columns) {
      if (sequence === null || !names.has(table_name)) continue;
      const text = `SELECT setval(?::regclass, (SELECT coalesce(max(${name}), 0) + 1 FROM ${table_name}), false)`;
      await this.#database.write(() => rows(onPostgres(text), [sequence]));
    }
    for (const name of names) await this.#database.write(() => rows(onPostgres(`ANALYZE ${name}`)));
  }

  /** Takes note that all is copied and compared: gateways start on the database from now on. */
  async end(): Promise<void> {
    const ended = await this.#database.write(() => this.#end());
    if (ended.length === 0) throw new MovedElsewhere(this.description);
  }

  *#end(): Work<readonly unknown[]> {
    return yield* rows(end, [yield* now_ms(), this.#written]);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

function* requireEmpty(description: string): Work<void> {
  const filled: string[] = [];
  for (const { name } of MOVED) {
    const found = yield* row<{ found: boolean }>(onPostgres(`SELECT EXISTS (SELECT 1 FROM ${name}) AS found`));
    if (found?.found === true) filled.push(name);
  }
  if (filled.length === 0) return;
  throw new Error(
    `${description} is not empty: it has rows in ${filled.join(", ")}. Name a database that no gateway has used yet.`,
  );
}

/** The numbers of shared texts are small. */
const TYPES: Readonly<Record<string, Column["type"]>> = { bigint: "bigint", integer: "bigint", bytea: "bytea" };

function* aliveNodes(): Work<number> {
  return toInt((yield* row<{ nodes: unknown }>(countAlive, [(yield* now_ms()) - ALIVE_MS]))?.nodes ?? 0);
}

function toCell(value: unknown, type: Column["type"]): MovedValue {
  if (value === null || value === undefined) return null;
  if (type === "bigint") return BigInt(value as string | number | bigint);
  return value as string | Uint8Array;
}
