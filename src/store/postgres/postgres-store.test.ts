import { openOnPostgres } from "../suite/postgres-database.ts";
import { describeStore } from "../suite/store.suite.ts";

describeStore("on PostgreSQL", () => openOnPostgres("read committed"), 20);
