import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { anchorPath } from "./anchor.ts";

/** The place to which a path leads, without symbolic links. The file itself need not exist. */
export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

/** The files of one database, which belong to one history: none of them may be left beside another history's. */
export function filesOf(path: string): readonly string[] {
  return [anchorPath(path), `${path}-wal`, `${path}-shm`, `${path}-journal`, path];
}
