import { Database } from "bun:sqlite";
import { existsSync, rmSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { runNow } from "../sql/work.ts";
import { readAnchor } from "./anchor.ts";
import { type ChainEnd, type LastCommit, readLastCommit } from "./chain.ts";
import { copyOpenFile, type OnProgress, syncFolderOf } from "./copy-file.ts";
import { realPath } from "./paths.ts";
import { beginStillMoment } from "./still-moment.ts";
import { CommitsLost, verifyChain } from "./verify-chain.ts";
import { NotSound, type VerifiedCopy, verifyCopy } from "./verify-copy.ts";

export interface BackUp extends VerifiedCopy {
  readonly bytes: number;
}

/** The log may grow by so much while the file is copied; then the copy is too slow for what the gateway writes. */
const LOG_AT_MOST_BYTES = 1 << 30;
/** A report that reads for long can keep a copy from beginning. */
const TRIES = 10;
const PAUSE_MS = 1000;
/** Times of files are as coarse as the system's clock ticks. */
const TICK_MS = 25;

/**
 * Copies the database of a gateway, which may be running and writing. The copy is the database at one moment after the call
 * began, as one file; it exists under its name only when it is complete, verified and on the disk.
 *
 * An open read transaction keeps every connection from merging later commits into the file. So, once the whole log is
 * merged (still-moment.ts), the file stands still and is that moment: it is copied byte by byte, which is as fast as the disk, while
 * the gateway goes on writing to its log. That the file stood still, its time of change shows; that it was that moment, the
 * commit with which the copy ends.
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
    // Read first: what it names must be in the database that is read after it.
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
    // Last: closing a file gives up all locks that this process has on it.
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

/** When the file was changed last, once that is so long ago that another change would show. */
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

/** Null where the copy is not of the moment, so that it must be made again. */
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
