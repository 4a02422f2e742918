import { printed } from "../release/run.ts";
import { isProduct } from "./measure-project.ts";

/** How far one feature reaches: the files that its commit changed. */
export interface FeatureReach {
  readonly commit: string;
  readonly subject: string;
  /** Product files in `src` and `contract`. */
  readonly source_files: number;
  readonly files: number;
  readonly added_lines: number;
}

/** Commits that are looked through for features, from the newest on. */
const MOST_COMMITS = 400;

/** The last commits that change product code and say in the changelog what they add, from the newest on. */
export async function lastFeatures(root: string, count: number): Promise<FeatureReach[]> {
  const log = ["log", `-n${MOST_COMMITS}`, "--no-merges", "-p", "-U1000", "--format=commit %H", "--", "CHANGELOG.md"];
  const found: FeatureReach[] = [];
  for (const part of (await printed(["git", ...log], root)).split(/^commit (?=[0-9a-f]{40}$)/m)) {
    if (!addsToAdded(part)) continue;
    const reach = await reachOf(root, part.slice(0, 40));
    if (reach.source_files > 0) found.push(reach);
    if (found.length === count) break;
  }
  return found;
}

/** Whether a whole file's differences have a new entry under *Added*. */
export function addsToAdded(differences: string): boolean {
  let section = "";
  for (const line of differences.split("\n")) {
    section = /^[ +]#{2,3} (.*)$/.exec(line)?.[1] ?? section;
    if (section === "Added" && line.startsWith("+- ")) return true;
  }
  return false;
}

export async function reachOf(root: string, commit: string): Promise<FeatureReach> {
  const told = await printed(["git", "show", "--no-renames", "--numstat", "--format=%h %s", commit], root);
  const [head = "", ...rows] = told.split("\n");
  const changed = rows.map((row) => row.split("\t")).filter(({ length }) => length === 3);
  const [short = "", ...words] = head.split(" ");
  return {
    commit: short,
    subject: words.join(" "),
    source_files: changed.filter(([, , path = ""]) => isProduct(path) || /^contract\/(?!.*\.test\.ts$)/.test(path))
      .length,
    files: changed.length,
    added_lines: changed.reduce((sum, [added]) => sum + (Number(added) || 0), 0),
  };
}
