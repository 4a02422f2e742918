import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runs } from "../../../proofs/support/runs.ts";
import { newId } from "../../core/ids.ts";
import { openStore } from "../open-store.ts";
import type { OpenTestDatabase, TestDatabase } from "../suite/books.ts";
import { executeOnSqlite } from "../suite/execute-on-sqlite.ts";
import { describeStore } from "../suite/store.suite.ts";

const openTestDatabase: OpenTestDatabase = async () => {
  const folder = await mkdtemp(join(tmpdir(), "camino-store-"));
  const path = join(folder, "camino.db");
  const open = () => openStore({ url: `sqlite:${path}`, node_id: newId("node") });
  const opened = { store: await open(), node_id: newId("node") };
  const database: TestDatabase = {
    get store() {
      return opened.store;
    },
    node_id: opened.node_id,
    async execute(sql) {
      // A read through the store sees all decisions; a read past it sees the tables only.
      await opened.store.state();
      return executeOnSqlite(path, sql);
    },
    async crash() {
      // Holds are not given back by closing: for the books a process that closes and one that dies are the same.
      await opened.store.close();
      opened.store = await open();
    },
    async close() {
      await opened.store.close();
      rmSync(folder, { recursive: true });
    },
  };
  return database;
};

describeStore("on SQLite", openTestDatabase, runs(12));
