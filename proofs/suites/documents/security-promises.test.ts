import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hasTest, namedTests } from "../../support/named-tests.ts";

/** docs/security.md names what holds each threat, the tests that prove it, and the bounds: they exist, by these names. */

const ROOT = join(import.meta.dir, "../../..");
const text = await Bun.file(join(ROOT, "docs/security.md")).text();

const threats = text
  .split(/^## /m)
  .slice(1)
  .filter((section) => /^\d+\. /.test(section))
  .map((section) => ({ title: section.slice(0, section.indexOf("\n")), section, tests: namedTests(section) }));

test("there are threats, and SECURITY.md leads to them", async () => {
  expect(threats.length).toBeGreaterThanOrEqual(10);
  expect(await Bun.file(join(ROOT, "SECURITY.md")).text()).toContain("(docs/security.md)");
});

describe.each(threats)("$title", ({ section, tests }) => {
  test("says what holds it, names its tests, and what is left to the operator", () => {
    expect(tests.length).toBeGreaterThan(0);
    expect(section).toMatch(/^Left to you: /m);
  });

  test.each(tests)("$path has: $name", async (named) => {
    expect(await hasTest(named)).toBe(true);
  });
});

describe("the table of bounds", () => {
  const rows = [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| `([^`]+)`: ([^|]+) \|$/gm)];

  test("has rows, each with a test", () => {
    expect(rows.length).toBeGreaterThanOrEqual(20);
    const table = text.slice(text.indexOf("## The bounds"));
    expect([...table.matchAll(/^\| (?!What|---)/gm)]).toHaveLength(rows.length);
  });

  test.each(rows.map(([, what = "", , , path = "", name = ""]) => ({ what, path, name: name.trim() })))(
    "$what: $path has: $name",
    async (named) => {
      expect(await hasTest(named)).toBe(true);
    },
  );
});
