import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../client.ts";
import type { Session } from "../../session.ts";

/** A JavaScript library; a script in this folder runs its checks. */
export interface JavaScriptLibrary extends Pick<Client, "id" | "name" | "settings" | "models"> {
  readonly packages: Readonly<Record<string, string>>;
  /** The script's name without its ending: `try-openai`. */
  readonly script: string;
}

/** The client of a library: one scenario, which runs the script's checks one after the other. */
export function javaScriptClient({ packages, script, ...client }: JavaScriptLibrary): Client {
  return {
    ...client,
    install: { from: "npm", packages },
    scenarios: [
      { name: "the library's checks", timeout_ms: 240_000, run: (session) => runScript(session, `${script}.mjs`) },
    ],
  };
}

/**
 * Runs a copy of the script beside the installed packages: modules are resolved from the script's folder, and in this
 * folder they would be the project's.
 */
async function runScript(session: Session, name: string): Promise<void> {
  const { folder } = session.installed;
  for (const file of ["checks.mjs", name]) await copyFile(new URL(file, import.meta.url).pathname, join(folder, file));
  const node = Bun.which("node");
  if (node === null) throw new Error("needs Node.js on the PATH");
  await session.runChecks(node, [join(folder, name)]);
}
