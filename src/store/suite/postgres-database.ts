import { SQL } from "bun";
import { newId } from "../../core/ids.ts";
import type { Store } from "../../core/store/ports.ts";
import { openPostgres, type PostgresStoreOptions } from "../postgres/open-postgres.ts";
import type { TestDatabase } from "./books.ts";
import { MovedClock, sweepForAWhile } from "./moved-clock.ts";

type Isolation = NonNullable<PostgresStoreOptions["isolation"]>;

/** A PostgreSQL database for the suite, which is empty. Every transaction has the isolation, even if it names none. */
export async function openOnPostgres(url: string, isolation: Isolation): Promise<TestDatabase> {
  const raw = new SQL(url, { max: 1 });
  await raw.unsafe(
    `ALTER ROLE CURRENT_USER IN DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = '${isolation}'`,
  );
  const opened = { node_id: newId("node") };
  const open = (clock?: MovedClock): Promise<Store> =>
    openPostgres({ url, node_id: opened.node_id, isolation, ...(clock !== undefined && { clock }) });
  let store = await open();
  return {
    get store() {
      return store;
    },
    get node_id() {
      return opened.node_id;
    },
    async execute(sql) {
      return await raw.unsafe(sql);
    },
    async crash() {
      await store.close();
      opened.node_id = newId("node");
      const clock = new MovedClock();
      store = await open(clock);
      await sweepForAWhile(store, opened.node_id, clock);
    },
    async close() {
      await Promise.all([store.close(), raw.close()]);
    },
  };
}
