import { Database } from "bun:sqlite";
import { join } from "node:path";
import { median } from "./median.ts";

const COMMITS = 400;
/** The log is merged so often that commits are written over older ones in it, as in a gateway that has run for a while. */
const PAGES_TO_MERGE = 64;
/** Until the log has its size. */
const FIRST_COMMITS = 100;
/** About what a call writes for its admission. */
const ROW = "r".repeat(1500);
/** A call's commits do not follow each other at once: something is asked and answered in between. */
const PAUSE_MS = 0.4;

/**
 * What a durable commit of one row takes in a SQLite file of the folder, with nothing around it: the median in milliseconds.
 * An admission and a settlement can be no quicker, so the latency that the gateway adds is judged beside two of them.
 */
export function plainCommitMs(folder: string): number {
  const db = new Database(join(folder, "plain-commits.db"), { create: true });
  try {
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = FULL");
    db.run(`PRAGMA wal_autocheckpoint = ${PAGES_TO_MERGE}`);
    db.run("CREATE TABLE IF NOT EXISTS rows (seq INTEGER PRIMARY KEY, row TEXT NOT NULL)");
    const insert = db.prepare("INSERT INTO rows (row) VALUES (?)");
    for (let count = 0; count < FIRST_COMMITS; count += 1) insert.run(ROW);
    const times_ms: number[] = [];
    for (let count = 0; count < COMMITS; count += 1) {
      const began_ms = performance.now();
      insert.run(ROW);
      times_ms.push(performance.now() - began_ms);
      const until_ms = performance.now() + PAUSE_MS;
      while (performance.now() < until_ms);
    }
    insert.finalize();
    return median(times_ms);
  } finally {
    db.close();
  }
}
