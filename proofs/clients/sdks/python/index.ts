import type { Client, Scenario } from "../../client.ts";

const PYTHON = "3.11";

/** A Python library; a script in this folder runs its checks. */
export interface PythonLibrary extends Pick<Client, "id" | "name" | "settings" | "models"> {
  readonly packages: Readonly<Record<string, string>>;
  /** The script's name without its ending: `try_openai`. */
  readonly script: string;
  readonly except?: Scenario["except"];
}

/** The client of a library: one scenario, which runs the script's checks one after the other. */
export function pythonClient({ packages, script, except, ...client }: PythonLibrary): Client {
  const path = new URL(`${script}.py`, import.meta.url).pathname;
  return {
    ...client,
    install: { from: "pypi", packages, python: PYTHON },
    scenarios: [
      {
        name: "the library's checks",
        timeout_ms: 240_000,
        ...(except !== undefined && { except }),
        run: (session) => session.runChecks("python", ["-B", path]),
      },
    ],
  };
}
