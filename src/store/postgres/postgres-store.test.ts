import { SQL } from "bun";
import { freshDatabase } from "../../../test/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { openStore } from "../open-store.ts";
import type { OpenTestDatabase } from "../suite/books.ts";
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
      // Its last beat is long ago, and another gateway notices.
      await raw.unsafe(`UPDATE nodes SET beat_ms = 1 WHERE id = '${opened.node_id}'`);
      opened.node_id = newId("node");
      store = await openStore({ url, node_id: opened.node_id });
      await store.ledger.sweep(opened.node_id);
    },
    async close() {
      await Promise.all([store.close(), raw.close()]);
    },
  };
};

describeStore("on PostgreSQL", openTestDatabase, 20);
