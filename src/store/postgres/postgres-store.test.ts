import { SQL } from "bun";
import { freshDatabase } from "../../../test/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { openStore } from "../open-store.ts";
import type { OpenTestDatabase } from "../suite/books.ts";
import { MovedClock, sweepForAWhile } from "../suite/moved-clock.ts";
import { describeStore } from "../suite/store.suite.ts";

const openTestDatabase: OpenTestDatabase = async () => {
  const url = await freshDatabase();
  const raw = new SQL(url, { max: 1 });
  const opened = { node_id: newId("node") };
  let store = await openStore({ url, node_id: opened.node_id });
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
      store = await openStore({ url, node_id: opened.node_id, clock });
      await sweepForAWhile(store, opened.node_id, clock);
    },
    async close() {
      await Promise.all([store.close(), raw.close()]);
    },
  };
};

describeStore("on PostgreSQL", openTestDatabase, 20);
