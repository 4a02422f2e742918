import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BEFORE_THE_START } from "./one-binary.ts";

const ROOT = join(import.meta.dir, "../..");

test("the one executable file sets for the runtime what the launchers set", () => {
  const launchers = ["bin/camino", "bin/camino-bun"].map((path) => readFileSync(join(ROOT, path), "utf8")).join("\n");
  const set = [...launchers.matchAll(/^export (\w+)="?(?:\$\{\w+:-(\w+)\}|(\w+))"?$/gm)];
  expect(Object.fromEntries(set.map(([, name, byDefault, value]) => [name, byDefault ?? value]))).toEqual(
    BEFORE_THE_START,
  );
});
