import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { problemOf } from "./explore.ts";
import { TARGET_NAMES } from "./target-names.ts";
import { TARGETS } from "./targets.ts";

/** Inputs that broke a target once, as raw bytes: `findings/TARGET/NAME`. None may break it again. */

const FUZZ = join(import.meta.dir, "..");
const FOUND = [...new Bun.Glob("findings/*/*").scanSync({ cwd: FUZZ })].sort();

test("every target has its name in the list", () => {
  expect(TARGETS.map(({ name }) => name)).toEqual([...TARGET_NAMES]);
});

describe.each(TARGETS.map((target) => [target.name, target] as const))("%s", (name, target) => {
  test("holds for all seeds", async () => {
    const problems: (string | null)[] = [];
    for (const seed of target.seeds()) problems.push(await problemOf(target, seed));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  }, 60_000);

  for (const path of FOUND.filter((each) => each.startsWith(`findings/${name}/`)))
    test(`holds for ${path}`, async () => {
      expect(await problemOf(target, readFileSync(join(FUZZ, path)))).toBeNull();
    });
});
