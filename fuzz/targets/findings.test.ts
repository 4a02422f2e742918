import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { problemOf } from "./explore.ts";
import { TARGETS } from "./targets.ts";
import { TARGET_NAMES } from "./target-names.ts";

/** Inputs that broke a target once, as raw bytes: `findings/TARGET/NAME`. None may break it again. */

const FUZZ = join(import.meta.dir, "..");
const FOUND = [...new Bun.Glob("findings/*/*").scanSync({ cwd: FUZZ })].sort();

test("every target has its name in the list", () => {
  expect(TARGETS.map(({ name }) => name)).toEqual([...TARGET_NAMES]);
});

describe.each(TARGETS.map((target) => [target.name, target] as const))("%s", (name, target) => {
  test("holds for all seeds", () => {
    const problems = target.seeds().map((seed) => problemOf(target, seed));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });

  for (const path of FOUND.filter((each) => each.startsWith(`findings/${name}/`)))
    test(`holds for ${path}`, () => {
      expect(problemOf(target, readFileSync(join(FUZZ, path)))).toBeNull();
    });
});
