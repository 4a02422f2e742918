import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { WORKERS } from "./build-gateway.ts";
import type { RunCost } from "./run-cost.ts";
import { inLanes, SuiteRunner } from "./suites.ts";
import type { FileReport } from "./tally.ts";

const ROOT = join(import.meta.dir, "..");
// A folder inside the project, so that a test's imports resolve, which git ignores.
const folder = await mkdtemp(join(ROOT, "node_modules/.test-of-suites-"));
afterAll(() => rm(folder, { recursive: true }));

const HEAD = 'import { test, expect } from "bun:test";\n';

interface Ran {
  readonly reports: readonly FileReport[];
  readonly shown: readonly FileReport[];
  readonly costs: readonly RunCost[];
}

/** Runs files of these texts, together where there are several. */
async function run(...codes: string[]): Promise<Ran> {
  const paths: string[] = [];
  for (const code of codes) {
    const path = join(folder, `${Bun.hash(code).toString(36)}.test.ts`);
    await Bun.write(path, HEAD + code);
    paths.push(relative(ROOT, path));
  }
  const shown: FileReport[] = [];
  const costs: RunCost[] = [];
  await using runner = await SuiteRunner.create({
    onReport: (report) => shown.push(report),
    onCost: (cost) => costs.push(cost),
  });
  const reports = await runner.runBatch(paths);
  expect(reports.map(({ path }) => path).sort()).toEqual([...paths].sort());
  return { reports: paths.map((path) => reports.find((each) => each.path === path) as FileReport), shown, costs };
}

describe("a run from the built form", () => {
  test("starts every thread of the gateway from it, any other thread from where it says, and compiles less", async () => {
    const built = join(folder, "built");
    const names = WORKERS.map((path) => basename(path));
    for (const name of [...names, "other.ts"]) await Bun.write(join(built, name), 'postMessage("built");');
    const other = join(folder, "other.ts");
    await Bun.write(other, 'postMessage("its own");');
    const code = `
      const said = (url) => new Promise((resolve, reject) => {
        const worker = new Worker(url);
        worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
        worker.onerror = ({ message }) => reject(new Error(message));
      });
      test("threads", async () => {
        for (const path of ${JSON.stringify(WORKERS)}) expect(await said(new URL(path, "file:///none/"))).toBe("built");
        expect(await said(${JSON.stringify(other)})).toBe("its own");
        expect(process.env.BUN_JSC_useFTLJIT).toBe("0");
      });`;
    const path = join(folder, "threads.test.ts");
    await Bun.write(path, HEAD + code);
    await using runner = await SuiteRunner.create({ onReport: () => {}, built });
    const { tally, output } = await runner.runFile(relative(ROOT, path));
    expect({ tally, output: tally.failed > 0 ? output : "" }).toEqual({
      tally: { passed: 1, failed: 0, skipped: 0 },
      output: "",
    });
  });
});

async function runOne(code: string): Promise<FileReport> {
  const [report] = (await run(code)).reports;
  if (!report) throw new Error("no report came");
  return report;
}

describe("running a test file", () => {
  test("counts passed, failed and skipped tests, and shows the failure", async () => {
    const { tally, output } = await runOne(
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
    expect((await runOne(code)).tally).toMatchObject({ failed: 1 });
  });

  test("keeps a developer's vendor credentials from the tests", async () => {
    process.env.CAMINO_SUITES_TEST_API_KEY = "secret";
    const { tally } = await runOne('test("a", () => expect(process.env.CAMINO_SUITES_TEST_API_KEY).toBe(undefined));');
    delete process.env.CAMINO_SUITES_TEST_API_KEY;
    expect(tally).toEqual({ passed: 1, failed: 0, skipped: 0 });
  });
});

test("the processor time of a process is that of the programs which it started, too", async () => {
  const busy = "for (let n = 0; n % 1e7 > 0 || process.cpuUsage().user < 300_000; n++);";
  const { costs } = await run(
    `test("a", () => void Bun.spawnSync([process.execPath, "-e", ${JSON.stringify(busy)}]), 50_000);`,
  );
  expect(costs).toHaveLength(1);
  expect(costs[0]?.cpu_ms).toBeGreaterThan(300);
}, 60_000);

describe("files that share a process", () => {
  const GROUPED =
    'import { describe } from "bun:test"; describe("of", () => test("a", () => {})); test("b", () => {});';
  const FINE = 'test("a", () => {});';

  test("are counted each for itself, also where one fails", async () => {
    const failing = 'test("a", () => {}); test("b", () => expect("seen").toBe("x"));';
    const { reports, shown } = await run(GROUPED, failing, FINE);
    expect(reports.map(({ tally: { passed, failed } }) => [passed, failed])).toEqual([
      [2, 0],
      [1, 1],
      [1, 0],
    ]);
    expect(reports.map(({ output }) => output.includes("seen"))).toEqual([false, true, false]);
    expect(shown).toHaveLength(3);
  });

  test.each([
    ["ends the process", 'test("end", () => process.exit(0));'],
    ["does not load", 'throw new Error("at load");'],
    ["has no test", ""],
    ["fails between its tests", 'setTimeout(() => { throw new Error("later"); }); test("c", () => Bun.sleep(50));'],
  ])("are named and judged alone where one of them %s", async (_what, code) => {
    const { reports } = await run(GROUPED, code, FINE);
    expect(reports.map(({ tally }) => tally.failed)).toEqual([0, 1, 0]);
  });

  test("that fail only together are a failure, so that the first is run again and named", async () => {
    // The first leaves something behind with which the second ends the process.
    const leaves = 'test("a", () => { Reflect.set(globalThis, "left_behind", true); });';
    const finds = 'test("a", () => { if (Reflect.get(globalThis, "left_behind")) process.exit(1); });';
    const { reports } = await run(leaves, finds);
    expect(reports.map(({ tally }) => tally.failed).reduce((sum, failed) => sum + failed)).toBe(1);
  });
});

test("tasks are done in their order, as many at a time as there are lanes", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const task = (index: number) => async () => {
    begun.push(index);
    running += 1;
    most = Math.max(most, running);
    await Bun.sleep(1);
    running -= 1;
  };
  await inLanes(2, [0, 1, 2, 3, 4].map(task));
  expect({ begun, most }).toEqual({ begun: [0, 1, 2, 3, 4], most: 2 });
});
