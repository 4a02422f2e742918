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

/** What two answers say together: nothing is known to be sound where one of them is missing. */
export function together(one: Verdict, other: Verdict): Verdict {
  if (!one.asked) return one;
  if (!other.asked) return other;
  return { asked: true, shipped: [...one.shipped, ...other.shipped], others: [...one.others, ...other.others] };
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

/** What a release says about known vulnerabilities: to whoever makes it, and in its notes to whoever installs it. */
export interface Judged {
  readonly line: string;
  /** Names no registry: the notes are for everybody. */
  readonly for_notes: string;
}

/**
 * Throws where something is known of what is shipped, and where nobody could be asked, unless `without_audit` says that a person knows. `count`: of how
 * many packages something is shipped.
 */
export function requireNothingKnown(verdict: Verdict, count: number, without_audit: boolean): Judged {
  if (!verdict.asked) {
    const line = `the registry could not be asked for known vulnerabilities (${verdict.reason})`;
    if (!without_audit)
      throw new Error(
        `${line}; ask another one (npm_config_registry=…), or say --without-audit, which the notes will name`,
      );
    const words = `**not checked**. The registry that this release was made with could not be asked about what is shipped (packages: ${count}).`;
    return { line: `NOT CHECKED: ${line}`, for_notes: `Known vulnerabilities: ${words}` };
  }
  if (verdict.shipped.length > 0)
    throw new Error(`known vulnerabilities in what is shipped:\n  ${verdict.shipped.join("\n  ")}`);
  const others = verdict.others.length === 0 ? "" : `; in tools for development alone: ${verdict.others.join(", ")}`;
  const for_notes = `Known vulnerabilities: none in what is shipped (packages: ${count}), by npm's advisories.`;
  return { line: `no vulnerabilities are known in what is shipped${others}`, for_notes };
}
