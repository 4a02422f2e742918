import type { Database } from "bun:sqlite";
import { type SharedColumn, withTexts } from "../batch/shared-texts.ts";
import { isSet, runNow } from "../sql/work.ts";

const COLUMNS: readonly SharedColumn[] = ["endpoint", "model", "price", "attempts"];

/** Rows of requests with their texts in place of the references, whose numbers depend on the order in which a database met them. */
export function wholeRows<Row extends Readonly<Record<SharedColumn, string>>>(
  database: Database,
  found: readonly Row[],
): Row[] {
  return runNow(withTexts(found, COLUMNS), (step) => {
    const sets = isSet(step) ? step.params : [step.params];
    return sets.flatMap((params) => database.query(step.statement.sqlite).all(...(params as string[])));
  });
}
