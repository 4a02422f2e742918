import { join } from "node:path";
import { isObject } from "../../src/core/json.ts";

const CAMINO = join(import.meta.dir, "../..", "bin/camino");

/** Where the books are: the database or directory, and the variable that names its cells. */
interface Audited {
  readonly database_url: string;
  readonly cells_env?: Readonly<Record<string, string>>;
}

/** Runs `camino audit` beside the gateways that run, and returns each finding of it as one text. */
export async function audit({ database_url, cells_env }: Audited): Promise<string[]> {
  const { PATH = "" } = process.env;
  const child = Bun.spawn([CAMINO, "audit", "--json", "--database", database_url], {
    env: { PATH, ...cells_env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [told, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const status = await child.exited;
  const problems = problemsIn(told);
  if (problems !== null && (status === 0) === (problems.length === 0)) return problems;
  return [`camino audit ended with ${status}: ${told}${complaint}`.slice(0, 2000)];
}

/** The findings of the command's JSON, each as JSON; null where there is nothing to read. */
function problemsIn(told: string): string[] | null {
  try {
    const report: unknown = JSON.parse(told);
    return isObject(report) && Array.isArray(report.findings)
      ? report.findings.map((found) => JSON.stringify(found))
      : null;
  } catch {
    return null;
  }
}
