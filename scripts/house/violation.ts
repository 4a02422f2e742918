/** One breach of a house rule: where it is, what was found, and what to do instead. */
export interface Violation {
  readonly path: string;
  /** 1-based; null when the whole file is meant. */
  readonly line: number | null;
  readonly message: string;
}

/** `src/a.ts:12  message`, sorted by place. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations
    .map(({ path, line, message }) => `${line === null ? path : `${path}:${line}`}  ${message}`)
    .sort()
    .join("\n");
}
