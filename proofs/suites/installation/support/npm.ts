import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../../../..");

/** The environment of a person at a prompt, without what `npm test` has set for its own scripts. */
export function personsEnvironment(): Record<string, string> {
  const mine = Object.entries(process.env).filter(([name]) => !/^(npm_|BUN_|CAMINO_|NODE_ENV$|INIT_CWD$)/i.test(name));
  return Object.fromEntries(mine.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Runs a program to its end and returns what it has printed; throws all of it where the status is not 0. */
export async function runToEnd(command: readonly string[], cwd: string, env = personsEnvironment()): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Packs the project, or another state of it, into a folder, as `npm pack` does for everybody, and returns the tarball's path. */
export async function packInto(folder: string, sources = ROOT): Promise<string> {
  const printed = await runToEnd(["npm", "pack", "--json", "--silent", "--pack-destination", folder], sources);
  // Scripts that npm runs while it packs may print lines before the document.
  const name = /"filename": "([^"]+)"/.exec(printed)?.[1];
  if (name === undefined) throw new Error(`npm pack named no file: ${printed}`);
  return join(folder, name);
}
