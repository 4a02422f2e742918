import { run } from "./run.ts";

/** What the registry says about known vulnerabilities. */
export type Verdict =
  /** `shipped`: a line for each package of which something is shipped; `others`: the names of packages for development alone. */
  | { readonly asked: true; readonly shipped: readonly string[]; readonly others: readonly string[] }
  | { readonly asked: false; readonly reason: string };

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string; readonly detail?: string };
}

interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  readonly via: readonly (string | { readonly title?: string; readonly url?: string })[];
}

/** Asks npm about every package of the lock file: the console is built of development packages. A registry without such an answer is no good news, and is told apart. */
export async function askForVulnerabilities(
  root: string,
  shipped: ReadonlySet<string>,
  more: readonly string[] = [],
): Promise<Verdict> {
  const { stdout, stderr } = await run(["npm", "audit", "--json", "--include=dev", ...more], root);
  return judge(stdout, stderr, shipped);
}

export function judge(stdout: string, stderr: string, shipped: ReadonlySet<string>): Verdict {
  let report: Report;
  try {
    report = JSON.parse(stdout) as Report;
  } catch {
    return { asked: false, reason: stderr.trim().split("\n").at(-1) ?? "npm printed nothing" };
  }
  if (report.vulnerabilities === undefined) {
    return { asked: false, reason: report.message ?? report.error?.summary ?? "npm's answer names no vulnerabilities" };
  }
  const found = Object.values(report.vulnerabilities);
  const line = ({ name, severity, via }: Vulnerability): string => {
    const reasons = via.map((each) =>
      typeof each === "string" ? `by ${each}` : `${each.title} ${each.url ?? ""}`.trim(),
    );
    return `${name} (${severity}): ${reasons.join("; ")}`;
  };
  return {
    asked: true,
    shipped: found.filter(({ name }) => shipped.has(name)).map(line),
    others: found.filter(({ name }) => !shipped.has(name)).map(({ name }) => name),
  };
}
