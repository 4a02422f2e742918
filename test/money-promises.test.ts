import { describe, expect, test } from "bun:test";
import { join } from "node:path";

/** docs/money.md names the tests that hold each promise about money: they exist, by these names. */

const ROOT = join(import.meta.dir, "..");
const text = await Bun.file(join(ROOT, "docs/money.md")).text();

interface Promised {
  readonly title: string;
  readonly tests: readonly { readonly path: string; readonly name: string }[];
  readonly says_limits: boolean;
}

const promises: Promised[] = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf("\n")),
    tests: [...section.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, path = "", name = ""]) => ({ path, name })),
    says_limits: /^Not covered: /m.test(section),
  }));

test("there are promises", () => {
  expect(promises.length).toBeGreaterThanOrEqual(8);
});

describe.each(promises)("$title", ({ tests, says_limits }) => {
  test("names its tests, and what they do not cover", () => {
    expect([tests.length > 0, says_limits]).toEqual([true, true]);
  });

  test.each(tests)("$path has: $name", async ({ path, name }) => {
    const file = await Bun.file(join(ROOT, path)).text();
    const called = /(?:^|[^\w.])(?:test|describe)(?:\.\w+(?:\([^\n]*?\))?)?\(\s*(["`])((?:\\.|(?!\1).)*)\1/gm;
    const names = [...file.matchAll(called)].map((match) => match[2] ?? "");
    expect(names.some((found) => found.endsWith(name))).toBe(true);
  });
});
