/** One mistake in a configuration: its place, the value there, and the allowed values. */
export interface Problem {
  readonly file: string;
  /** From 1; 0 when the problem belongs to no line, such as a requested catalogue that cannot be used. */
  readonly line: number;
  /**
   * The path from the document's root to the mistake: `models.acme/swift-1.price.tiers[0].input`. Empty for the whole
   * document.
   */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

/** Writes a problem as one line that an editor can jump to: `camino.yaml:12: limits.body: found "x"; allowed: …`. */
export function formatProblem({ file, line, path, found, allowed }: Problem): string {
  const where = line > 0 ? `${file}:${line}` : file;
  return `${where}: ${path === "" ? "" : `${path}: `}found ${found}; allowed: ${allowed}`;
}

/** A configuration that cannot be used. Its message lists every problem, in the order of the file. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const sorted = problems.toSorted((a, b) => a.line - b.line);
    const count = sorted.length === 1 ? "a problem" : `${sorted.length} problems`;
    const files = [...new Set(sorted.map(({ file }) => file))].join(", ");
    super(`${files} has ${count}:\n${sorted.map((problem) => `  ${formatProblem(problem)}`).join("\n")}`);
    this.problems = sorted;
  }
}
