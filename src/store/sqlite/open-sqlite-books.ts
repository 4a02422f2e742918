import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { Books, DatabaseFacts, Waiting } from "../../core/store/books.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { findAccount } from "../accounts/accounts.ts";
import { auditBooks } from "../audit/audit-books.ts";
import { auditSlices } from "../audit/audit-slices.ts";
import { AUDIT_WORKS } from "../audit/audit-works.ts";
import { schemaVersions } from "../schema/migrate.ts";
import { readMark } from "../sql/marks.ts";
import { workOf } from "../sql/port.ts";
import { sql } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";
import { checkBesideDatabase, lossOf } from "./check-beside-database.ts";
import { doneOps, readFoldedAccounts } from "./folded-accounts.ts";
import { requireOwnLog } from "./foreign-log.ts";
import { type JournalRow, type ReadBatch, readBatch, readJournal } from "./journal.ts";
import { describeMove, readMove } from "./moved-to.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

/**
 * Opens a SQLite file for reading only. Its tables are consistent at every moment, whether or not a gateway runs on it: waiting changes in
 * the journal reach all tables in one transaction (docs/adr/0015). Null where there is no database; throws where only an anchor is left that
 * names its commits.
 */
export function openSqliteBooks(path: string): Books | null {
  if (!existsSync(path)) {
    const lost = lossOf(path);
    if (lost !== null) throw new Error(lost);
    return null;
  }
  requireOwnLog(path);
  const database = open(path);
  const run = <Result>(work: Work<Result>): Promise<Result> => Promise.resolve().then(() => database.run(work));
  return {
    kind: "sqlite",
    description: `sqlite ${path}`,
    facts: async () => {
      const facts = await run(factsOf(path));
      return { ...facts, lost: facts.schema_version < facts.known_version ? lossOf(path) : null };
    },
    findAccountId: async (name) => (await run(findAccount(name)))?.id ?? null,
    audit: (options = {}) =>
      auditBooks(
        auditSlices((method, args) => run(workOf(AUDIT_WORKS, method, args))),
        options,
        () => checkBesideDatabase(path),
      ),
    waiting: () => run(waitingOperations()),
    close: async () => database.close(),
  };
}

function open(path: string): SqliteDatabase {
  try {
    return new SqliteDatabase(path, "looker");
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`The database ${path} cannot be read: ${reason}. Run this as the user that the gateway runs as.`, {
      cause: thrown,
    });
  }
}

const selectVersion = sql("SELECT sqlite_version() AS version");

function* factsOf(path: string): Work<Omit<DatabaseFacts, "lost">> {
  const library = yield* row<{ version: string }>(selectVersion);
  const move = yield* readMove();
  const moved = move === null ? [] : [describeMove(path, move)];
  const lacks = [path, dirname(path)].filter((place) => !mayWrite(place));
  const versions = yield* schemaVersions();
  return {
    ...versions,
    secret_fingerprint: versions.schema_version === 0 ? null : yield* readMark("secret_fingerprint"),
    engine: `SQLite ${library?.version ?? ""}`.trim(),
    lacks: [...moved, ...lacks.map((place) => `This user may not write ${place}.`)],
    conditions: [],
  };
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Counts the acknowledged operations that are not in the tables yet: those of the journal, without the ones that earlier steps have written
 * (docs/design/storage.md). Only reads. A batch that cannot be read counts as one operation; the next start reports it and says what to do.
 */
function* waitingOperations(): Work<Waiting> {
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
