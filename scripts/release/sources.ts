import { existsSync } from "node:fs";
import { join } from "node:path";
import { printed, run } from "./run.ts";

/**
 * The time of the commit that a release is made of. Throws where a file is changed or unknown to git, so that nobody could make the release
 * again, and where the version's tag (`vX.Y.Z`) is at another commit.
 */
export async function requireCommitted(root: string, version: string): Promise<Date> {
  const changed = (await printed(["git", "status", "--porcelain"], root)).trimEnd();
  if (changed !== "") throw new Error(`the working tree is not what is committed:\n${changed}`);
  const head = (await printed(["git", "rev-parse", "HEAD"], root)).trim();
  const tagged = await run(["git", "rev-parse", "--verify", "--quiet", `refs/tags/v${version}^{commit}`], root);
  if (tagged.status === 0 && tagged.stdout.trim() !== head) {
    throw new Error(
      `v${version} is the tag of another commit, ${tagged.stdout.trim().slice(0, 12)}: raise the version`,
    );
  }
  const seconds = Number(await printed(["git", "show", "--no-patch", "--format=%ct", "HEAD"], root));
  return new Date(seconds * 1000);
}

/**
 * Throws where the lock file is of another version than the manifest, as after one that was raised by hand, or where the version has not left the databases
 * that later versions are tried against.
 */
export async function requireWhole(root: string, version: string): Promise<void> {
  const lock = await Bun.file(join(root, "package-lock.json")).json();
  const found = [lock.version, lock.packages?.[""]?.version];
  if (found.some((each) => each !== version)) {
    throw new Error(
      `package.json has version ${version}, and package-lock.json ${[...new Set(found)].join(" and ")}: \`npm version --no-git-tag-version ${version} --allow-same-version\` sets both`,
    );
  }
  const fixture = join("proofs/suites/upgrade/fixtures", version);
  if (!existsSync(join(root, fixture)))
    throw new Error(`${fixture} is missing, the databases of this version: make them with \`npm run fixture\``);
}
