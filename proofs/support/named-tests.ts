import { join } from "node:path";

/** Documents that name the tests which hold what they promise, as list items: `path`: the end of the test's name. */

const ROOT = join(import.meta.dir, "../..");

export interface NamedTest {
  readonly path: string;
  readonly name: string;
}

/** The tests that a text names. */
export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, path = "", name = ""]) => ({ path, name }));
}

/** A call with a name; `])(` ends a table of cases that stands on several lines. */
const CALLED =
  /(?:^ *\]\)|(?:^|[^\w.])(?:test|drill|describe)(?:\.\w+(?:\([^\n]*?\))?)?)\(\s*(["`])((?:\\.|(?!\1).)*)\1/gm;

/** Whether a file has a test, or a group of tests, whose name ends so. */
export async function hasTest({ path, name }: NamedTest): Promise<boolean> {
  const file = await Bun.file(join(ROOT, path)).text();
  return [...file.matchAll(CALLED)].some((match) => (match[2] ?? "").endsWith(name));
}
