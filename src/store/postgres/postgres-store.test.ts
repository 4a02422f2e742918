import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { openOnPostgres } from "../suite/postgres-database.ts";
import { describeStore } from "../suite/store.suite.ts";

describeStore("on PostgreSQL", async () => openOnPostgres(await freshDatabase(), "read committed"), runs(10));
