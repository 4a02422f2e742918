import type { Client, Scenario } from "../../client.ts";
import type { Session } from "../../session.ts";

const PYTHON = "3.11";

/** A Python library; a script in this folder runs its checks. */
export interface PythonLibrary extends Pick<Client, "id" | "name" | "settings" | "models"> {
  readonly packages: Readonly<Record<string, string>>;
  /** The script's name without its ending: `try_openai`. */
  readonly script: string;
  readonly except?: Scenario["except"];
  /** A second script, of what the library has besides, for the vendors that have it. */
  readonly besides?: Pick<Scenario, "name" | "except"> & { readonly script: string };
}

/** The client of a library: a scenario for each script, which runs its checks one after the other. */
export function pythonClient({ packages, script, except, besides, ...client }: PythonLibrary): Client {
  const scripts = [{ name: "the library's checks", script, ...(except !== undefined && { except }) }, besides];
  return {
    ...client,
    install: { from: "pypi", packages, python: PYTHON },
    scenarios: scripts.flatMap((each) => {
      if (each === undefined) return [];
      const { script: name, ...scenario } = each;
      const path = new URL(`${name}.py`, import.meta.url).pathname;
      return [
        { ...scenario, timeout_ms: 240_000, run: (session: Session) => session.runChecks("python", ["-B", path]) },
      ];
    }),
  };
}
