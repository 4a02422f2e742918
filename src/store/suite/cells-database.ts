import { SQL } from "bun";
import { newId } from "../../core/ids.ts";
import type { Store } from "../../core/store/ports.ts";
import { Cells } from "../cells/cells.ts";
import { storeInCells } from "../cells/store-in-cells.ts";
import { openPostgres } from "../postgres/open-postgres.ts";
import type { TestDatabase } from "./books.ts";
import { MovedClock, sweepForAWhile } from "./moved-clock.ts";

/** Several PostgreSQL databases as the cells of one store for the suite: the first one is the directory. Accounts come to all of them. */
export async function openOnCells(urls: readonly string[]): Promise<TestDatabase> {
  const raw = urls.map((url) => new SQL(url, { max: 1 }));
  const opened = { node_id: newId("node") };
  const open = async (clock?: MovedClock): Promise<Store> => {
    const more = clock === undefined ? {} : { clock };
    const stores = await Promise.all(urls.map((url) => openPostgres({ url, node_id: opened.node_id, ...more })));
    const [directory, ...others] = stores;
    if (directory === undefined) throw new Error("there is no database");
    const cells = others.map((store, at) => ({ name: `cell${at + 1}`, weight: 1, store }));
    return storeInCells(new Cells(directory, cells, 1));
  };
  let store = await open();
  return {
    get store() {
      return store;
    },
    get node_id() {
      return opened.node_id;
    },
    async execute(sql, account_id) {
      const found: unknown[] = [];
      for (const database of await databasesFor(raw, sql, account_id)) found.push(...(await database.unsafe(sql)));
      return found;
    },
    async crash() {
      await store.close();
      opened.node_id = newId("node");
      const clock = new MovedClock();
      store = await open(clock);
      await sweepForAWhile(store, opened.node_id, clock);
    },
    async close() {
      await Promise.all([store.close(), ...raw.map((database) => database.close())]);
    },
  };
}

/** What is inserted for an account goes where it lives, everything else to all. */
async function databasesFor(raw: readonly SQL[], sql: string, given?: string): Promise<readonly SQL[]> {
  const account_id = given ?? (/^\s*(INSERT|UPDATE accounts)/i.test(sql) ? /acct_\w+/.exec(sql)?.[0] : undefined);
  const [directory] = raw;
  if (account_id === undefined || directory === undefined) return raw;
  const [row] = (await directory.unsafe("SELECT cell FROM accounts WHERE id = $1", [account_id])) as {
    cell: string | null;
  }[];
  const at = Number(row?.cell?.slice("cell".length) ?? 0);
  return raw.slice(at, at + 1);
}
