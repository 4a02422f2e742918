import { existsSync, rmSync, statSync } from "node:fs";
import { copyFile, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { OnProgress } from "../../core/operations/on-progress.ts";
import { Anchor, anchorPath } from "./anchor.ts";
import type { ChainEnd } from "./chain.ts";
import { copyOpenFile, syncFolderOf } from "./copy-file.ts";
import { takeOwnership } from "./owner-lock.ts";
import { filesOf, realPath } from "./paths.ts";
import { NotSound, type VerifiedCopy, verifyCopy } from "./verify-copy.ts";

interface Restored extends VerifiedCopy {
  /** The new place of the database that was there before; empty when there was none. */
  readonly moved: readonly string[];
}

interface RestoreOptions {
  /** Whether a database that is there is moved aside. It is never deleted. */
  readonly replace: boolean;
  readonly onProgress: OnProgress;
}

/**
 * Puts a backup in a database's place, as a history of its own. Refuses what would mix two histories: a gateway that runs on the
 * database, a log or an anchor of another database beside it, a backup that still needs a log.
 */
export async function restore(file: string, given: string, { replace, onProgress }: RestoreOptions): Promise<Restored> {
  requireBackUp(file);
  await mkdir(dirname(given), { recursive: true });
  const path = realPath(given);
  if (existsSync(path) && realPath(file) === path) throw new Error(`${file} is the database itself.`);
  const there = filesOf(path).filter(isFilled);
  if (there.length > 0 && !replace) {
    const which = there.join(", ");
    throw new Error(
      `There is a database already, or a part of one: ${which}. With --replace it is moved aside, and kept.`,
    );
  }
  const was_there = existsSync(path);
  const ownership = takeOwnership(path);
  const fresh = `${path}.restoring`;
  try {
    await using source = await open(file, "r");
    rmSync(fresh, { force: true });
    await copyOpenFile(source, fresh, (done, of) => onProgress("copying", done, of));
    onProgress("verifying", 0, 1);
    const verified = verifyFresh(file, fresh);
    const moved = await putInPlace(path, fresh, there, verified.end);
    return { ...verified, moved };
  } catch (thrown) {
    rmSync(fresh, { force: true });
    if (!was_there && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw thrown;
  } finally {
    ownership.release();
  }
}

function requireBackUp(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const needed = [`${file}-wal`, `${file}-journal`].filter(isFilled);
  if (needed.length === 0) return;
  throw new Error(
    `${file} is no finished backup: a part of it is still in ${needed.join(", ")}. Use \`camino backup\` to make one.`,
  );
}

function verifyFresh(file: string, fresh: string): VerifiedCopy {
  try {
    return verifyCopy(fresh, null, "database");
  } catch (thrown) {
    if (thrown instanceof NotSound)
      throw new Error(`${file} is no sound database: ${thrown.message}.`, { cause: thrown });
    throw thrown;
  }
}

/**
 * Moves the old parts aside and the new file in their place. The anchor comes first: if the process dies in between, no gateway
 * starts on the old file, on none, or on an empty one, since the anchor is of another.
 */
async function putInPlace(
  path: string,
  fresh: string,
  there: readonly string[],
  end: ChainEnd,
): Promise<readonly string[]> {
  const aside = `${path}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  const moved: string[] = [];
  if (there.includes(anchorPath(path))) await copyFile(anchorPath(path), anchorPath(aside));
  await writeAnchor(path, end);
  for (const part of there) {
    const kept = aside + part.slice(path.length);
    if (part !== anchorPath(path)) await rename(part, kept);
    moved.push(kept);
  }
  await rename(fresh, path);
  rmSync(`${path}-shm`, { force: true });
  await syncFolderOf(path);
  return moved;
}

async function writeAnchor(path: string, end: ChainEnd): Promise<void> {
  const anchor = Anchor.open(path);
  anchor.reset(end);
  anchor.close();
  await using file = await open(anchorPath(path), "r+");
  await file.sync();
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
