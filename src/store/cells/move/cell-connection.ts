import { HeldConnection } from "../../postgres/held-connection.ts";
import { BY_KEY } from "../../postgres/postgres-database.ts";
import { ACCOUNT_TABLES, STAYING_TABLES } from "./tables.ts";

/** The address of a cell by its name. */
export interface CellPlace {
  readonly name: string;
  readonly url: string;
}

/** All requests of an account are sorted. */
const ROOM = { work_mem: "64MB" } as const;

/** A cell as a move uses it: connections for its transactions, opened when they are first needed. */
export class CellConnection {
  readonly name: string;
  readonly #url: string;
  readonly #open = new Map<string, Promise<HeldConnection>>();

  constructor({ name, url }: CellPlace) {
    this.name = name;
    this.#url = url;
  }

  /** For statements that are transactions of their own, or one after the other. */
  get beside(): Promise<HeldConnection> {
    return this.#connection("beside", {});
  }

  /** For the transaction that reads an account's rows as they are at one moment, and deletes them. */
  get leaving(): Promise<HeldConnection> {
    return this.#connection("leaving", ROOM);
  }

  /** For the transaction that writes an account's rows. The laws of entries look their requests up by their ids. */
  get coming(): Promise<HeldConnection> {
    return this.#connection("coming", { ...BY_KEY, ...ROOM });
  }

  #connection(use: string, settings: Readonly<Record<string, string>>): Promise<HeldConnection> {
    let opened = this.#open.get(use);
    if (opened === undefined) {
      opened = HeldConnection.open(this.#url, settings).catch((thrown: unknown) => {
        this.#open.delete(use);
        throw thrown;
      });
      this.#open.set(use, opened);
    }
    return opened;
  }

  /** The columns of each table in their order. Throws where there is a table that no move knows. */
  async columns(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = await (await this.beside).run<{ table_name: string; name: string }>(
      `SELECT c.relname AS table_name, a.attname AS name FROM pg_class AS c
         JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       ORDER BY c.relname, a.attnum`,
    );
    const columns = new Map<string, string[]>();
    for (const { table_name, name } of found) {
      const own = columns.get(table_name) ?? [];
      own.push(name);
      columns.set(table_name, own);
    }
    requireKnown(this.name, [...columns.keys()]);
    return columns;
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    await Promise.all(opened.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
  }
}

function requireKnown(cell: string, names: readonly string[]): void {
  const known = new Set([...ACCOUNT_TABLES.map(({ name }) => name), ...Object.keys(STAYING_TABLES)]);
  const strange = names.filter((name) => !known.has(name));
  if (strange.length > 0)
    throw new Error(`The cell ${cell} has tables that this version cannot move: ${strange.join(", ")}.`);
  const missing = [...known].filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new Error(`The cell ${cell} has no tables yet, or those of another version: it lacks ${missing.join(", ")}.`);
}
