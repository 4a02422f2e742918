import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client, Scenario } from "../../client.ts";
import type { Session } from "../../session.ts";

/** A JavaScript library; a script in this folder runs its checks. */
export interface JavaScriptLibrary extends Pick<Client, "id" | "name" | "settings" | "models"> {
  readonly packages: Readonly<Record<string, string>>;
  /** The script's name without its ending: `try-openai`. */
  readonly script: string;
  readonly except?: Scenario["except"];
  /** A second script, of what the library has besides, for the vendors that have it. */
  readonly besides?: Pick<Scenario, "name" | "except"> & { readonly script: string };
}

/** The client of a library: a scenario for each script, which runs its checks one after the other. */
export function javaScriptClient({ packages, script, except, besides, ...client }: JavaScriptLibrary): Client {
  const scripts = [{ name: "the library's checks", script, ...(except !== undefined && { except }) }, besides];
  return {
    ...client,
    install: { from: "npm", packages },
    scenarios: scripts.flatMap((each) => {
      if (each === undefined) return [];
      const { script: name, ...scenario } = each;
      return [{ ...scenario, timeout_ms: 240_000, run: (session: Session) => runScript(session, `${name}.mjs`) }];
    }),
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
