import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/** The cost of the decision engine's own calls, beside the charge (docs/rulings.md 40). */
export const upstreamCostsMigration: Migration = {
  version: 5,
  name: "upstream costs of decisions",
  compatible_from: 1,
  statements,
};

/** The largest amount that a JSON number holds exactly. */
const MAX = "9007199254740991";

function statements(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  return [
    // Null where the engine made no calls, as for nearly every request.
    `ALTER TABLE requests ADD COLUMN upstream_cost_micro ${int} CHECK (upstream_cost_micro BETWEEN 0 AND ${MAX})`,
  ];
}
