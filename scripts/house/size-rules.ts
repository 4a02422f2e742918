import type { SourceFile } from "./source-files.ts";
import type { Violation } from "./violation.ts";

const MAX_LINES = 400;

/**
 * Files that may be longer than the limit, with their present length and the reason. Such a file may shrink but not
 * grow, and its row is removed when the file is within the limit again.
 */
export const LONGER: Readonly<Record<string, { readonly lines: number; readonly because: string }>> = {};

/** Files that are longer than a person reads in one go. Tests and data are exempt. */
export function checkSizes(files: readonly SourceFile[], longer = LONGER): Violation[] {
  const found: Violation[] = [];
  const present = new Set(files.map(({ path }) => path));
  for (const path of Object.keys(longer)) {
    if (!present.has(path)) found.push({ path, line: null, message: "is listed in size-rules.ts but does not exist." });
  }
  for (const { path, text } of files) {
    if (!/\.tsx?$/.test(path) || path.endsWith(".test.ts") || /^proofs\/(suites|support)\//.test(path)) continue;
    const message = sizeObjection(text.trimEnd().split("\n").length, longer[path]?.lines);
    if (message !== null) found.push({ path, line: null, message });
  }
  return found;
}

function sizeObjection(lines: number, permitted: number | undefined): string | null {
  if (permitted === undefined) {
    if (lines <= MAX_LINES) return null;
    return `has ${lines} lines, more than ${MAX_LINES}: split it by concept, or list it in size-rules.ts with a reason.`;
  }
  if (lines > permitted) return `has grown from ${permitted} to ${lines} lines: split it.`;
  if (lines <= MAX_LINES) return "fits again: take its row out of size-rules.ts.";
  return null;
}
