import { existsSync, realpathSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import type { Environment } from "../core/environment.ts";
import { IS_BINARY } from "./one-binary.ts";

/** The root of a clone or of the package: this module, or the file that it is bundled into, lies as deep below it in every form. */
const ROOT = join(import.meta.dir, "../..");

/** The place of this program, and the folder from which it was started. */
interface ProgramPlace {
  /** The file that starts it: the launcher, or the one executable file. */
  readonly program: string;
  /** The folder of the clone that it is part of; null where it is installed. */
  readonly clone: string | null;
  readonly cwd: string;
}

/**
 * The command by which the reader of a message starts this program, for lines that can be pasted: `npx camino` in a clone's folder, `camino` where the
 * search path leads to this very program, as after `npm install -g`, and otherwise the program's own path. Never a name that npm would look up in a registry,
 * where it is somebody else's (docs/design/releases.md).
 */
export function ownCommand(env: Environment, { program, clone, cwd }: ProgramPlace = ownPlace()): string {
  if (clone !== null && !relative(clone, cwd).startsWith("..")) return "npx camino";
  // `npx --package=FILE -- camino` has the command on a search path of its own, which ends with it.
  if (env.npm_command === "exec" && env.npm_config_package)
    return `npx --package=${quoted(env.npm_config_package)} -- camino`;
  return nameOnPath(program, env.PATH ?? "") ?? quoted(program);
}

function ownPlace(): ProgramPlace {
  if (IS_BINARY) return { program: process.execPath, clone: null, cwd: process.cwd() };
  // The launcher tells a clone from the package in the same way.
  const clone = existsSync(join(ROOT, "src/main.ts")) ? ROOT : null;
  return { program: join(ROOT, "bin/camino"), clone, cwd: process.cwd() };
}

/** The name by which a search path leads to a program: `camino`, or its file's name. */
function nameOnPath(program: string, path: string): string | null {
  const real = realPath(program);
  if (real === null) return null;
  const names = new Set(["camino", program.slice(program.lastIndexOf("/") + 1)]);
  for (const name of names) {
    const first = path.split(delimiter).find((folder) => folder !== "" && existsSync(join(folder, name)));
    if (first !== undefined && realPath(join(first, name)) === real) return name;
  }
  return null;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // It was moved or taken away while it runs, as in an update.
    return null;
  }
}

/** A word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
