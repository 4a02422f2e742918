import { isProduct } from "./measure-project.ts";
import type { SourceFile } from "./source-files.ts";
import type { Violation } from "./violation.ts";

const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;

/**
 * Types of the product that share a name: a reader who has met one takes the other for it, and a search finds both. Names inside of
 * functions are a function's own.
 */
export function checkNames(files: readonly SourceFile[]): Violation[] {
  const first = new Map<string, string>();
  const found: Violation[] = [];
  for (const { path, text } of files) {
    if (!isProduct(path)) continue;
    for (const { 1: name = "", index } of text.matchAll(DECLARED)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, path);
      if (other === undefined || other === path) continue;
      const message = `declares ${name}, which ${other} declares too: give each a name that says which it is, or share the one.`;
      found.push({ path, line: text.slice(0, index).split("\n").length, message });
    }
  }
  return found;
}
