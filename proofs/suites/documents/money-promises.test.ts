import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hasTest, type NamedTest, namedTests } from "../../support/named-tests.ts";

/** docs/money.md names the tests that hold each promise about money: they exist, by these names. */

const ROOT = join(import.meta.dir, "../../..");
const text = await Bun.file(join(ROOT, "docs/money.md")).text();

interface Promised {
  readonly title: string;
  readonly tests: readonly NamedTest[];
  readonly says_limits: boolean;
}

const promises: Promised[] = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf("\n")),
    tests: namedTests(section),
    says_limits: /^Not covered: /m.test(section),
  }));

test("there are promises", () => {
  expect(promises.length).toBeGreaterThanOrEqual(8);
});

describe.each(promises)("$title", ({ tests, says_limits }) => {
  test("names its tests, and what they do not cover", () => {
    expect([tests.length > 0, says_limits]).toEqual([true, true]);
  });

  test.each(tests)("$path has: $name", async (named) => {
    expect(await hasTest(named)).toBe(true);
  });
});
