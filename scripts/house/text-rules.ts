import type { SourceFile } from "./source-files.ts";
import type { Violation } from "./violation.ts";

/** Phrases that no tracked file may contain, because they would be true on one machine or on one day only. */
const FORBIDDEN: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    pattern: /\bregistry\.[a-z0-9-]+\.[a-z]|"resolved": "http/,
    message: "names a package registry: packages come from wherever the machine's npm is told to look.",
  },
  {
    pattern:
      /\/work\/(main|shared)\b|\bshared\/(?:(?:spec|rulings|interface|architecture|ecosystem)\.md|(?:research|data)\/)/,
    message: "names a path outside of the project: write what it says into docs/ and point there.",
  },
  {
    pattern: /\bspec\.md\b|\bissues show\b|\bcamino-brief\b/,
    message: "names a document that a reader of this repository does not have: docs/api.md and docs/rulings.md do.",
  },
];

/** Files that quote the forbidden phrases. */
const QUOTES = new Set(["scripts/house/text-rules.ts", "proofs/suites/house/house-rules.test.ts"]);

/** Every forbidden phrase in these files. */
export function checkText(files: readonly SourceFile[]): Violation[] {
  const found: Violation[] = [];
  for (const { path, text } of files) {
    if (QUOTES.has(path)) continue;
    for (const { pattern, message } of FORBIDDEN) {
      const match = pattern.exec(text);
      if (match) found.push({ path, line: text.slice(0, match.index).split("\n").length, message });
    }
  }
  return found;
}
