/**
 * Packages that one folder alone needs, and that `npm install` therefore leaves out (docs/design/test-runs.md): the SDKs that proofs call a gateway
 * with, and what makes the documents' pages. Each folder has a package.json and a lock file of its own, and is installed when somebody first
 * needs it. `bin/camino-bun scripts/packages-apart.ts` installs all of them, for a machine that will have no network; with names, those.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { run } from "./release/run.ts";

const ROOT = join(import.meta.dir, "..");
/** What npm itself writes into is left alone by `npm install`. */
const CACHE = join(ROOT, "node_modules/.cache");

export const FOLDERS_APART = ["proofs", "scripts/site"] as const;
export type FolderApart = (typeof FOLDERS_APART)[number];

/**
 * Installs a folder's packages exactly as its lock file says, once for each lock file, and returns the folder that has its `package.json`
 * and its `node_modules`. Throws with npm's words where it fails, which is what happens without a network.
 */
export async function installApart(folder: FolderApart): Promise<string> {
  const lock = await Bun.file(join(ROOT, folder, "package-lock.json")).bytes();
  const installed = join(CACHE, `${folder.replace("/", "-")}-${Bun.hash(lock).toString(36)}`);
  if (!existsSync(installed)) await install(folder, installed);
  // Imports of this folder's files are looked for in its `node_modules` first, and then in the project's.
  if (folder === "proofs") await link(join(ROOT, folder, "node_modules"), join(installed, "node_modules"));
  return installed;
}

async function install(folder: FolderApart, installed: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const scratch = await mkdtemp(join(CACHE, "apart-"));
  try {
    for (const name of ["package.json", "package-lock.json"])
      await copyFile(join(ROOT, folder, name), join(scratch, name));
    const { status, stdout, stderr } = await run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], scratch);
    if (status !== 0)
      throw new Error(
        `The packages of ${folder} are installed when they are first needed, and npm could not: is there a network?\n${stderr}${stdout}`,
      );
    // Another process may have been faster; then its installation is used.
    await rename(scratch, installed).catch(() => {});
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A link from one folder to another, put into place at once: other processes may be looking through it. */
async function link(path: string, target: string): Promise<void> {
  const wanted = relative(dirname(path), target);
  if ((await readlink(path).catch(() => null)) === wanted) return;
  const made = `${path}-${process.pid}`;
  await symlink(wanted, made);
  await rename(made, path);
}

if (import.meta.main) {
  const names = process.argv.slice(2);
  for (const folder of FOLDERS_APART) if (names.length === 0 || names.includes(folder)) await installApart(folder);
}
