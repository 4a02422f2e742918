import { Database } from "bun:sqlite";
import { existsSync, rmSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { OnProgress } from "../../core/operations/on-progress.ts";
import { runNow } from "../sql/work.ts";
import { readAnchor } from "./anchor.ts";
import { type ChainEnd, type LastCommit, readLastCommit } from "./chain.ts";
import { copyOpenFile, syncFolderOf } from "./copy-file.ts";
import { realPath } from "./paths.ts";
import { CommitsLost, verifyChain } from "./verify-chain.ts";
import { NotSound, type VerifiedCopy, verifyCopy } from "./verify-copy.ts";

interface BackUp extends VerifiedCopy {
  readonly bytes: number;
}

/** How much the log may grow while the file is copied. Beyond it the copy is too slow for the gateway's writes. */
const LOG_AT_MOST_BYTES = 1 << 30;
/** How often a copy is tried: a long report can keep one from beginning. */
const TRIES = 10;
const PAUSE_MS = 1000;
/** Times of files are as coarse as the system's clock ticks. */
const TICK_MS = 25;

/**
 * Copies a database, whose gateway may be running and writing. The copy is the database at one moment after the call began, as one file; it
 * gets its name only when it is complete, verified and on the disk. An open read transaction keeps every connection from merging later
 * commits into the file. So, once the whole log is merged (`beginStillMoment`), the file stays unchanged at that moment and is copied byte by
 * byte at the speed of the disk, while the gateway goes on writing to its log. The file's modification time proves that it was unchanged;
 * the copy's last commit proves that it is of that moment.
 */
export async function backUp(given: string, target: string, onProgress: OnProgress): Promise<BackUp> {
  if (!existsSync(given)) throw new Error(`There is no database at ${given}.`);
  if (existsSync(target)) throw new Error(`${target} exists already. Name a file that does not.`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new Error(`The folder ${folder} is not there. Make it, and try again.`);
  const path = realPath(given);
  const part = `${target}.part`;
  discard(part);
  try {
    for (let tried = 1; ; tried += 1) {
      const end = await copyMoment(path, part, onProgress);
      const verified = end === null ? null : verifiedOrNull(part, end, onProgress);
      if (verified !== null) {
        const { size } = statSync(part);
        await sync(part);
        await rename(part, target);
        await syncFolderOf(target);
        return { ...verified, bytes: size };
      }
      discard(part);
      if (tried === TRIES)
        throw new Error("The database's file did not stand still. Is a report running? Try again later.");
      onProgress("waiting for a reader", tried, TRIES);
      await Bun.sleep(PAUSE_MS);
    }
  } catch (thrown) {
    discard(part);
    throw thrown;
  }
}

/** Copies the file as it is at one moment. Returns the last commit of that moment; null when the file changed meanwhile. */
async function copyMoment(path: string, part: string, onProgress: OnProgress): Promise<ChainEnd | null> {
  const source = await open(path, "r");
  const moment = new Database(path, { readwrite: true, create: false });
  const merger = new Database(path, { readwrite: true, create: false });
  try {
    moment.run("PRAGMA busy_timeout = 5000");
    // Read before the database, so that the database contains the commit that it names.
    const anchor = readAnchor(path);
    if (!(await beginStillMoment(moment, merger))) return null;
    const end = lastCommit(moment);
    const verdict = verifyChain(path, end, anchor);
    if (verdict.is === "lost") throw new CommitsLost(verdict.problem);
    const quiet = await standsStill(path);
    const log_bytes = sizeOf(`${path}-wal`);
    await copyOpenFile(source, part, (done, of) => {
      onProgress("copying", done, of);
      if (sizeOf(`${path}-wal`) - log_bytes <= LOG_AT_MOST_BYTES) return;
      throw new Error(
        "The copy is slower than what the gateway writes: its log has grown by 1 GiB. Name a faster disk.",
      );
    });
    return changedNs(path) === quiet ? end : null;
  } finally {
    merger.close();
    moment.close();
    // Closed last, because closing a file releases all locks that this process has on it.
    await source.close();
  }
}

function lastCommit(database: Database): NonNullable<LastCommit> {
  try {
    const end = runNow(readLastCommit(), ({ statement, params }) =>
      database.prepare(statement.sqlite).all(...(params as string[])),
    );
    if (end !== null) return end;
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.message.includes("no such table")) throw thrown;
  }
  throw new Error("The file is no database of Camino's, or no gateway has started on it yet.");
}

/** The file's modification time, returned only when it is old enough for a further change to get another time. */
async function standsStill(path: string): Promise<bigint> {
  for (;;) {
    const changed = changedNs(path);
    await Bun.sleep(TICK_MS);
    if (changedNs(path) === changed) return changed;
  }
}

function changedNs(path: string): bigint {
  return statSync(path, { bigint: true }).mtimeNs;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The verified copy; null where the copy is not of the moment and must be made again. */
function verifiedOrNull(part: string, end: ChainEnd, onProgress: OnProgress): VerifiedCopy | null {
  onProgress("verifying", 0, 1);
  try {
    return verifyCopy(part, end, "backup");
  } catch (thrown) {
    // The copy does not end with the commit that its moment ended with.
    if (thrown instanceof CommitsLost) return null;
    if (thrown instanceof NotSound)
      throw new Error(`The database itself is damaged: ${thrown.message}.`, { cause: thrown });
    throw thrown;
  }
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}

function discard(part: string): void {
  for (const end of ["", "-wal", "-shm", "-journal", ".anchor"]) rmSync(part + end, { force: true });
}

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
