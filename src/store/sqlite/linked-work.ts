import { sqlFor } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";
import { type ChainEnd, writeChain } from "./chain.ts";

const totalChanges = sqlFor({ sqlite: "SELECT total_changes() AS changes", postgres: "" });

/** A work that moves the chain on where it has changed anything. */
export function* linked<Result>(work: Work<Result>, next: ChainEnd): Work<{ result: Result; changed: boolean }> {
  const before = yield* row<{ changes: unknown }>(totalChanges);
  const result = yield* work;
  const after = yield* row<{ changes: unknown }>(totalChanges);
  const changed = before?.changes !== after?.changes;
  if (changed) yield* writeChain(next);
  return { result, changed };
}
