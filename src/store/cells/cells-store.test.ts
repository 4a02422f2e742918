import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { openOnCells } from "../suite/cells-database.ts";
import { describeStore, SUITE_NAMES } from "../suite/store.suite.ts";

// The sums of days have a file of their own, which is a drill.
describeStore(
  "on three cells",
  async () => openOnCells([await freshDatabase(), await freshDatabase(), await freshDatabase()]),
  runs(4),
  SUITE_NAMES.filter((name) => name !== "sums"),
);
