import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { findTestFiles, runTestFiles } from "./suites.ts";

const ROOT = join(import.meta.dir, "..");
// A folder inside the project, so that a test's imports resolve, which git ignores.
const folder = await mkdtemp(join(ROOT, "node_modules/.test-of-suites-"));
afterAll(() => rm(folder, { recursive: true }));

const HEAD = 'import { test, expect } from "bun:test";\n';

async function run(code: string): Promise<{ tally: object; output: string }> {
  const path = join(folder, `${Bun.hash(code).toString(36)}.test.ts`);
  await Bun.write(path, HEAD + code);
  const [report] = await runTestFiles([relative(ROOT, path)], 1, () => {});
  if (!report) throw new Error("no report came");
  return report;
}

describe("running a test file", () => {
  test("counts passed, failed and skipped tests, and shows the failure", async () => {
    const { tally, output } = await run(
      'test("a", () => {}); test("b", () => expect("seen").toBe("x")); test.skip("c", () => {});',
    );
    expect(tally).toEqual({ passed: 1, failed: 1, skipped: 1 });
    expect(output).toContain("seen");
  });

  test.each([
    ["a process that ends in the middle", 'test("a", () => process.exit(0));'],
    ["a file that does not load", 'throw new Error("at load");'],
    ["a file without a test", ""],
  ])("%s is a failure", async (_name, code) => {
    expect((await run(code)).tally).toMatchObject({ failed: 1 });
  });

  test("keeps a developer's vendor credentials from the tests", async () => {
    process.env.CAMINO_SUITES_TEST_API_KEY = "secret";
    const { tally } = await run('test("a", () => expect(process.env.CAMINO_SUITES_TEST_API_KEY).toBe(undefined));');
    delete process.env.CAMINO_SUITES_TEST_API_KEY;
    expect(tally).toEqual({ passed: 1, failed: 0, skipped: 0 });
  });
});

describe("finding test files", () => {
  test("this file is found by a part of its path, and no file under node_modules is", async () => {
    expect(await findTestFiles(["scripts/suites"])).toEqual(["scripts/suites.test.ts"]);
    expect((await findTestFiles([])).filter((path) => path.includes("node_modules"))).toEqual([]);
  });
});
