import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";

/** What administrators change, and gateways read again where its revision is another one. */
type Revised = "configuration" | "vendor_credentials";

const selectRevision = sql("SELECT revision FROM revisions WHERE name = ?");
const countOn = sql(
  `INSERT INTO revisions (name, revision) VALUES (?, 1)
    ON CONFLICT (name) DO UPDATE SET revision = revisions.revision + 1 RETURNING revision`,
);

export function* revisionOf(name: Revised): Work<number> {
  return toInt((yield* row<{ revision: unknown }>(selectRevision, [name]))?.revision ?? 0);
}

/** Makes the next revision. First of all, so that changes on several nodes at once wait for each other. */
export function* nextRevision(name: Revised): Work<number> {
  return toInt((yield* row<{ revision: unknown }>(countOn, [name]))?.revision ?? 0);
}
