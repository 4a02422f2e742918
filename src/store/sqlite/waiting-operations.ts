import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { Waiting } from "../../core/store/books.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import type { Work } from "../sql/work.ts";
import { doneOps, readFoldedAccounts } from "./folded-accounts.ts";
import { type JournalRow, type ReadBatch, readBatch, readJournal } from "./journal.ts";

/**
 * Counts the acknowledged operations that are not in the tables yet: those of the journal, without the ones that earlier steps have written
 * (docs/design/storage.md). Only reads. A batch that cannot be read counts as one operation; the next start reports it and says what to do.
 */
export function* waitingOperations(): Work<Waiting> {
  const journal = yield* readJournal();
  const folded = yield* readFoldedAccounts(journal);
  let operations = 0;
  let charged_micro = ZERO;
  for (const row of journal) {
    const batch = read(row);
    if (batch === null) operations += 1;
    const { ops, acknowledged } = batch ?? { ops: [], acknowledged: [] };
    const done = yield* doneOps(row, ops, folded);
    for (let at = row.written_ops; at < ops.length; at += 1) {
      if (done.has(at)) continue;
      operations += 1;
      charged_micro = add(charged_micro, chargeOf(acknowledged[at]));
    }
  }
  return { operations, charged_micro };
}

function read(row: JournalRow): ReadBatch | null {
  try {
    return readBatch(row);
  } catch {
    return null;
  }
}

function chargeOf(result: BookResult | undefined): Micro {
  return result !== undefined && "charge_micro" in result ? result.charge_micro : ZERO;
}
