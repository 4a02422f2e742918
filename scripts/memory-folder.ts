import { readdirSync, rmSync, statfsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const IN_MEMORY = "/dev/shm";
const PREFIX = "camino-tests-";
/** Databases, clusters of PostgreSQL and browsers' profiles of a whole run take less than a quarter of this. */
const LEAST_BYTES = 4 * 2 ** 30;

/** A folder for the temporary files of a run. It is removed with all that tests have left in it. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Makes a folder in memory where the machine has room for it and nobody has chosen another by `TMPDIR`, otherwise beside other
 * temporary files. In memory nothing waits for a disk: a store suite of 230 tests waits for its
 * disk for two thirds of its time. A test promises as much in memory as on a disk: what a killed process has written is kept by both, and no test cuts the
 * machine's power.
 */
export async function makeTemporaryFolder(env: Readonly<Record<string, string | undefined>>): Promise<TemporaryFolder> {
  const parent = env.TMPDIR ?? (hasRoom() ? IN_MEMORY : tmpdir());
  clearAway(parent);
  const path = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  // PostgreSQL runs as another user where the tests run as root.
  await chmod(path, 0o1777);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= LEAST_BYTES;
  } catch {
    return false;
  }
}

/** Removes what runs have left that were killed. */
function clearAway(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && !isRunning(pid)) removeIfFree(join(parent, name));
  }
}

/** A test that was killed may have left a file system of its own mounted in the folder, which then stays: it stops no later run. */
function removeIfFree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EBUSY")) throw thrown;
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
