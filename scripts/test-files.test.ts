import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DRILLS, findTestFiles, needsOwnProcess, planRun, RUN_TWICE, WAITING } from "./test-files.ts";

const ROOT = join(import.meta.dir, "..");

const HAS_DRILLS = /^import \{[^}]*\b(drill|LEAVES_DRILLS)\b[^}]*\} from ".*\/support\/runs\.ts"/m;
const HAS_DRILLS_OR_LAWS = /^import \{[^}]*\b(drill|LEAVES_DRILLS|runs)\b[^}]*\} from ".*\/support\/runs\.ts"/m;

describe("finding test files", () => {
  test("this file is found by a part of its path, and no file under node_modules is", async () => {
    expect(await findTestFiles(["scripts/test-files"])).toEqual(["scripts/test-files.test.ts"]);
    expect((await findTestFiles([])).filter((path) => path.includes("node_modules"))).toEqual([]);
  });
});

describe("the plan of a run", () => {
  const plan = async (texts: Readonly<Record<string, string>>) =>
    planRun(Object.keys(texts), (path) => Promise.resolve(texts[path] ?? ""));

  test("runs each file once, and every file that is said to wait exists", async () => {
    const files = [...(await findTestFiles([])), ...DRILLS];
    const { small, batches, waiting } = await planRun(files);
    expect([...small, ...batches, ...waiting].flat().sort()).toEqual([...files].sort());
    expect(waiting.flat()).toEqual([...WAITING]);
  });

  test("no file is lost: each is a suite or a drill, and `.ci/run` runs both", async () => {
    const every = (await Array.fromAsync(new Bun.Glob("**/*.test.{ts,tsx}").scan({ cwd: ROOT }))).filter(
      (path) => !path.includes("node_modules/"),
    );
    expect([...(await findTestFiles([])), ...DRILLS].sort()).toEqual(every.sort());
    const commands = (await Bun.file(join(ROOT, ".ci/run")).text()).split("\n");
    expect(commands).toContain("npm test");
    expect(commands).toContain("npm run drills");
    expect(commands).toContain("npm run check");
  });

  test("suites that the drills run once more are suites, and have drills or laws; no other file has drills", async () => {
    const suites = await findTestFiles([]);
    expect(RUN_TWICE.filter((path) => !suites.includes(path))).toEqual([]);
    for (const path of RUN_TWICE) expect(await Bun.file(join(ROOT, path)).text()).toMatch(HAS_DRILLS_OR_LAWS);
    for (const path of suites.filter((each) => !RUN_TWICE.includes(each)))
      expect({ path, has_drills: HAS_DRILLS.test(await Bun.file(join(ROOT, path)).text()) }).toEqual({
        path,
        has_drills: false,
      });
  });

  test("a drill that is named runs", async () => {
    expect(await findTestFiles(["proofs/suites/failures/outages"])).toEqual(["proofs/suites/failures/outages.test.ts"]);
  });

  test("puts small files of the rooms together, and those that start something into processes of their own", async () => {
    const { small, batches } = await plan({
      "proofs/suites/books/audit.test.ts": "",
      "src/core/money/money.test.ts": "",
      "src/wire/server.test.ts": "const child = Bun.spawn([]);",
      "console/src/kit/amount.test.ts": "",
    });
    expect(batches).toEqual([["proofs/suites/books/audit.test.ts"], ["src/wire/server.test.ts"]]);
    expect(small).toEqual([["src/core/money/money.test.ts", "console/src/kit/amount.test.ts"]]);
  });

  test("puts a few files that take a browser together, and leaves those that take none alone", async () => {
    const text = 'import { launchBrowser } from "../support/browser.ts";';
    const paths = ["a", "b", "c", "d", "e", "f"].map((name) => `proofs/suites/console/${name}.test.ts`);
    const texts = Object.fromEntries(paths.map((path) => [path, text]));
    const { batches } = await plan({
      ...texts,
      "proofs/suites/console/api.test.ts": "",
      "proofs/suites/books/upkeep.test.ts": text,
    });
    expect(batches).toEqual([
      [paths[0] ?? "", paths[2] ?? "", paths[4] ?? ""],
      [paths[1] ?? "", paths[3] ?? "", paths[5] ?? ""],
      ["proofs/suites/console/api.test.ts"],
      ["proofs/suites/books/upkeep.test.ts"],
    ]);
  });

  test("puts a few neighbours that call gateways together, but for those that change or measure their process", async () => {
    const at = (name: string) => `proofs/suites/billing/${name}.test.ts`;
    const { batches } = await plan({
      ...Object.fromEntries(["a", "b", "c", "d"].map((name) => [at(name), ""])),
      [at("memory")]: "process.memoryUsage()",
      "proofs/suites/tables/a.test.ts": "",
    });
    expect(batches.toSorted((a, b) => b.length - a.length)).toEqual([
      [at("a"), at("b"), at("c")],
      [at("memory")],
      [at("d")],
      ["proofs/suites/tables/a.test.ts"],
    ]);
  });

  test("bounds how many files are together", async () => {
    const text = "x".repeat(100_000);
    const { small } = await plan({ "src/a.test.ts": text, "src/b.test.ts": text, "src/c.test.ts": "" });
    expect(small).toEqual([["src/a.test.ts"], ["src/b.test.ts", "src/c.test.ts"]]);
  });
});

describe("a process of its own is for a file that", () => {
  test.each([
    ["starts a program", "Bun.spawnSync(words)"],
    ["serves", "using server = Bun.serve({})"],
    ["has a thread", 'new Worker("./thread.ts")'],
    ["writes files", 'await mkdtemp(join(tmpdir(), "x"))'],
    ["opens a socket", 'import { connect } from "node:net";'],
    ["opens a database", 'import { openStore } from "../open-store.ts";'],
    ["starts a simulator", 'import { startSimulator } from "../../simulator/server.ts";'],
    ["uses a helper of other suites", 'import { startGateway } from "../support/gateway.ts";'],
    ["changes the environment", "process.env.TZ = 'UTC'"],
    ["changes a module for all", 'mock.module("./x.ts", () => ({}))'],
    ["changes the clock for all", "setSystemTime(0)"],
  ])("%s", (_what, text) => {
    expect(needsOwnProcess(text)).toBe(true);
  });

  test("no other file needs it, also where it takes values from a helper of other suites", () => {
    expect(needsOwnProcess('import { target } from "../../test/support/target.ts";')).toBe(false);
    expect(needsOwnProcess('import { expect, test } from "bun:test";\nimport { micro } from "./money.ts";\n')).toBe(
      false,
    );
  });
});
