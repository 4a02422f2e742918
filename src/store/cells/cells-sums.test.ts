import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { openOnCells } from "../suite/cells-database.ts";
import { describeStore } from "../suite/store.suite.ts";

describeStore(
  "on three cells",
  async () => openOnCells([await freshDatabase(), await freshDatabase(), await freshDatabase()]),
  runs(4),
  ["sums"],
);
