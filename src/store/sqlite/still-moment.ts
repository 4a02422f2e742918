import type { Database } from "bun:sqlite";

/** The tries, and the time between them: another connection may be merging, or commit at each try. */
const PATIENCE: Patience = { tries: 100, pause_ms: 50 };

interface Patience {
  readonly tries: number;
  readonly pause_ms: number;
}

/**
 * Begins a read transaction on `moment` for which the database's file alone, without its log, is the database: `merger`, another connection,
 * merges the log into the file first. While the transaction is open no connection changes the file. False, and no transaction, where a reader of an
 * earlier moment keeps the log from being merged.
 *
 * It does not suffice that the log is merged up to the moment. A merge takes each page from the log once, in its last state: a page that was
 * changed before the moment and once more after it is left out, since a later merge brings it. Then the file is of no moment at all,
 * with some pages of the moment and some from before it. So nothing may be committed between the moment and the merge, which is so
 * where the merge reached the end of the log: the moment keeps it from merging later commits.
 */
export async function beginStillMoment(moment: Database, merger: Database, patience = PATIENCE): Promise<boolean> {
  using look = moment.prepare("SELECT 1 FROM sqlite_schema");
  using merge = merger.prepare<Merged, []>("PRAGMA wal_checkpoint(PASSIVE)");
  // A connection that has read nothing does not know yet that there is a log.
  merger.query("SELECT 1 FROM sqlite_schema").get();
  for (let tried = 0; tried < patience.tries; tried += 1) {
    moment.run("BEGIN");
    // A transaction is of the moment of its first read.
    look.get();
    const merged = merge.get();
    if (merged?.busy === 0 && merged.log === merged.checkpointed) return true;
    moment.run("ROLLBACK");
    await Bun.sleep(patience.pause_ms);
  }
  return false;
}

/** SQLite's report on a merge: whether another connection was merging, the pages of the log, and how many of them the file has. */
interface Merged {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}
