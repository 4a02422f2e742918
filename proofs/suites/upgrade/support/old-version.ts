import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../../../scripts/release/run.ts";
import { packInto, ROOT, runToEnd } from "../../installation/support/npm.ts";

/** A packed version of Camino, unpacked. */
export interface PackedVersion extends AsyncDisposable {
  /** Its command. */
  readonly camino: string;
}

/** The version that an update is tried from. */
export interface PreviousVersion {
  readonly commit: string;
  /** How a test's name calls it: `v1.0.0`, or `HEAD, as no version is tagged yet`. */
  readonly name: string;
}

/**
 * The version that the present one is an update from: what `UPGRADE_FROM` names, else the last tag before these sources. Before the first tag it is the
 * last commit, whose update to itself shows that nodes can be replaced under load, and no more. Null where the sources are no clone.
 */
export async function previousVersion(named = process.env.UPGRADE_FROM, root = ROOT): Promise<PreviousVersion | null> {
  if (named !== undefined && named !== "") return { commit: named, name: named };
  const tag = await run(["git", "describe", "--tags", "--abbrev=0", "--match=v[0-9]*"], root);
  if (tag.status === 0) return { commit: tag.stdout.trim(), name: tag.stdout.trim() };
  const head = await run(["git", "rev-parse", "HEAD"], root);
  return head.status === 0 ? { commit: head.stdout.trim(), name: "HEAD, as no version is tagged yet" } : null;
}

/** Packs a commit with the packages of its own lock file. */
export async function packVersion(commit: string): Promise<PackedVersion> {
  await mkdir(join(ROOT, "dist"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "dist/.old-version-"));
  const sources = join(folder, "sources");
  await mkdir(sources);
  await runToEnd(["sh", "-euc", `git archive "$1" | tar -x -C "$2"`, "sh", commit, sources], ROOT);
  const lock = (root: string) => Bun.file(join(root, "package-lock.json")).json();
  const [theirs, ours] = await Promise.all([lock(sources), lock(ROOT)]);
  // The version stands in the root's own entry.
  if (Bun.deepEquals({ ...theirs.packages, "": null }, { ...ours.packages, "": null })) {
    await runToEnd(["cp", "-al", join(ROOT, "node_modules"), join(sources, "node_modules")], ROOT);
  } else {
    await runToEnd(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], sources);
  }
  return await unpacked(folder, sources);
}

/** Packs these sources. */
export async function packPresent(): Promise<PackedVersion> {
  await mkdir(join(ROOT, "dist"), { recursive: true });
  return await unpacked(await mkdtemp(join(ROOT, "dist/.new-version-")), ROOT);
}

async function unpacked(folder: string, sources: string): Promise<PackedVersion> {
  const tarball = await packInto(folder, sources);
  await runToEnd(["tar", "-xzf", tarball, "-C", folder], folder);
  await symlink(join(sources, "node_modules"), join(folder, "package/node_modules"));
  return {
    camino: join(folder, "package/bin/camino"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
