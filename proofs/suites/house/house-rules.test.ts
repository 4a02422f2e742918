import { beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CheckResult, runChecks } from "../../../scripts/checks.ts";
import { BANS } from "../../../scripts/house/bans.ts";
import { checkSizes } from "../../../scripts/house/size-rules.ts";

/**
 * Every house rule is broken once, in a small project that is checked as this project is, by the real compiler and the
 * real linter. A rule that no longer finds its violation fails here.
 */

interface Plant {
  readonly rule: string;
  readonly path: string;
  readonly code: string;
  /** A part of the complaint about this file. */
  readonly says: string;
}

const value = 'export const value = "a value";\n';
const type = "export interface Shape {\n  readonly a: string;\n}\n";

const imports = (path: string, name = "value"): string =>
  `import { ${name} } from "${path}";\nexport const a = ${name};\n`;

/** Files without violations: files that the plants import, and uses of the bans' replacements. */
const SOUND: Readonly<Record<string, string>> = {
  "src/core/clock.ts": `${type}export const now = (): number => Date.now();\n`,
  "src/observe/log.ts": value,
  "src/ledger/hold.ts": 'import type { Shape } from "../core/clock.ts";\nexport type Hold = Shape;\n',
  "src/limits/rate.ts": 'import { now } from "../core/clock.ts";\nexport const rate = (): number => now();\n',
  // Of the stages, the ledger alone knows another one: the limits.
  "src/ledger/admit.ts": 'import { rate } from "../limits/rate.ts";\nexport const admit = rate;\n',
  "src/limits/rate.test.ts": 'import { database } from "../store/database.ts";\nexport const used = database;\n',
  "src/store/database.ts": 'import type { Hold } from "../ledger/hold.ts";\nexport const database: Hold = { a: "" };\n',
  "src/protocols/shared/frames.ts": value,
  "proofs/grammars/chat.ts": 'export const grammar = "a value";\n',
  "proofs/conformance/judge.ts": 'import { grammar } from "../grammars/chat.ts";\nexport const a = grammar;\n',
  "src/protocols/chat/wire.ts": 'import { value } from "../shared/frames.ts";\nexport const chat = value;\n',
  "src/protocols/ways.ts": 'import { chat } from "./chat/wire.ts";\nexport const ways = chat;\n',
  "src/pipeline/generate.ts": 'import { ways } from "../protocols/ways.ts";\nexport const generate = ways;\n',
  "src/pipeline/settle/pay.ts": value,
  "src/cli/shared/table.ts": value,
  "src/cli/program.ts": imports("./shared/table.ts"),
  "src/http/server.ts": 'import { generate } from "../pipeline/generate.ts";\nexport const server = generate;\n',
  "src/main.ts":
    'import { server } from "./http/server.ts";\nimport { database } from "./store/database.ts";\n' +
    "export const all = [server, database, process.env.HOME];\n",
  "simulator/vendor.ts": value,
  "proofs/support/helper.ts":
    'import { database } from "../../src/store/database.ts";\nexport const help = database;\n',
  "console/tsconfig.json": '{ "extends": "../tsconfig.json", "include": ["."] }\n',
  "console/account.ts": 'import type { Account } from "../contract/account.ts";\nexport type Shown = Account;\n',
  "contract/words.ts": value,
  "contract/account.ts": 'import type { Shape } from "../src/core/clock.ts";\nexport type Account = Shape;\n',
};

const IMPORT_PLANTS: readonly Plant[] = [
  {
    rule: "the floor imports nothing above it",
    path: "src/core/up.ts",
    code: imports("../observe/log.ts"),
    says: "core may import only itself, not observe",
  },
  {
    rule: "stages are strangers, and the limits do not know the ledger",
    path: "src/limits/peek.ts",
    code: 'import type { Hold } from "../ledger/hold.ts";\nexport type Peek = Hold;\n',
    says: "not ledger",
  },
  {
    rule: "a type inside an import() counts",
    path: "src/routing/hidden.ts",
    code: 'export type Hidden = import("../ledger/hold.ts").Hold;\n',
    says: "not ledger",
  },
  {
    rule: "an import() at run time counts",
    path: "src/routing/lazy.ts",
    code: 'export const load = async (): Promise<unknown> => await import("../limits/rate.ts");\n',
    says: "not limits",
  },
  {
    rule: "a re-export counts",
    path: "src/access/again.ts",
    code: 'export type { Hold } from "../ledger/hold.ts";\n',
    says: "not ledger",
  },
  {
    rule: "store sees ledger and limits, and no other stage",
    path: "src/store/extra.ts",
    code: imports("../protocols/ways.ts", "ways"),
    says: "not protocols",
  },
  {
    rule: "the pipeline does not name the store",
    path: "src/pipeline/driver.ts",
    code: imports("../store/database.ts", "database"),
    says: "not store",
  },
  {
    rule: "the edge does not name the store",
    path: "src/http/driver.ts",
    code: imports("../store/database.ts", "database"),
    says: "not store",
  },
  {
    rule: "rooms of one rank are strangers at the edge too",
    path: "src/cli/borrow.ts",
    code: imports("../http/server.ts", "server"),
    says: "not http",
  },
  {
    rule: "sibling protocols are strangers",
    path: "src/protocols/messages/borrow.ts",
    code: imports("../chat/wire.ts", "chat"),
    says: "its own folder and protocols/shared only",
  },
  {
    rule: "a protocol does not know the list of protocols",
    path: "src/protocols/messages/list.ts",
    code: imports("../ways.ts", "ways"),
    says: "its own folder and protocols/shared only",
  },
  {
    rule: "the gateway does not know the simulator",
    path: "src/pipeline/pretend.ts",
    code: imports("../../simulator/vendor.ts"),
    says: "not simulator",
  },
  {
    rule: "conformance knows of the gateway nothing but the grammars",
    path: "proofs/conformance/share.ts",
    code: imports("../../src/protocols/chat/wire.ts", "chat"),
    says: "proofs/conformance may import proofs/grammars, not protocols",
  },
  {
    rule: "the grammars know nothing of what they judge",
    path: "proofs/grammars/share.ts",
    code: imports("../../src/protocols/chat/wire.ts", "chat"),
    says: "proofs/grammars may import only itself, not protocols",
  },
  {
    rule: "the simulator does not share the gateway's encoders",
    path: "simulator/share.ts",
    code: imports("../src/protocols/ways.ts", "ways"),
    says: "not protocols",
  },
  {
    rule: "only tests import tests",
    path: "src/pipeline/testing.ts",
    code: imports("../../proofs/support/helper.ts", "help"),
    says: "only tests import tests",
  },
  {
    rule: "the console sees the contract only",
    path: "console/page.ts",
    code: 'import type { Shape } from "../src/core/clock.ts";\nexport type Page = Shape;\n',
    says: "console may import contract, not core",
  },
  {
    rule: "the contract needs typebox and nothing else",
    path: "contract/yaml.ts",
    code: imports("yaml", "parse"),
    says: "contract may import typebox",
  },
  {
    rule: "the floor needs no package",
    path: "src/core/log.ts",
    code: imports("pino", "pino"),
    says: "core may import no package",
  },
  {
    rule: "no two folders import each other, not even a folder and the folder in it",
    path: "src/cli/shared/back.ts",
    code: imports("../program.ts", "a").replace("const a =", "const b ="),
    says: "closes a circle of folders (src/cli, src/cli/shared)",
  },
  {
    rule: "a stage of the pipeline imports those before it alone",
    path: "src/pipeline/plan/early.ts",
    code: imports("../settle/pay.ts"),
    says: "plan does not come after settle",
  },
  {
    rule: "a new folder of the pipeline is given a place",
    path: "src/pipeline/attic/box.ts",
    code: imports("../settle/pay.ts"),
    says: "a folder without a place",
  },
  {
    rule: "a new room is given a rank",
    path: "src/attic/box.ts",
    code: imports("../core/clock.ts", "now"),
    says: "a room that the table does not know",
  },
];

/** One line that breaks each ban of the table. */
const BANNED: Readonly<Record<string, { readonly path: string; readonly code: string }>> = {
  "reading the environment": { path: "src/observe/ban-env.ts", code: "export const a = process.env.HOME;\n" },
  "the system clock": { path: "src/limits/ban-clock.ts", code: "export const a = Date.now();\n" },
  "weak randomness": { path: "src/routing/ban-random.ts", code: "export const a = Math.random();\n" },
  "console output": { path: "src/access/ban-console.ts", code: 'console.log("seen");\nexport {};\n' },
  "ending the process": { path: "src/pipeline/ban-exit.ts", code: "export const a = (): never => process.exit(1);\n" },
  "floats near money": { path: "src/ledger/ban-float.ts", code: 'export const a = Number("0.1");\n' },
  "a list as arguments": {
    path: "src/protocols/ban-list.ts",
    code: "export const a = (all: number[]) => [1].push(...all);\n",
  },
  "a list that is searched for each item of another": {
    path: "src/protocols/ban-search.ts",
    code: "export const a = (all: number[], some: number[]) => all.filter((one) => some.includes(one));\n",
  },
  "parsing without a bound": { path: "src/protocols/ban-parse.ts", code: 'export const a = JSON.parse("1");\n' },
  "a bare fetch": { path: "src/catalog/ban-fetch.ts", code: 'export const a = await fetch("http://a.example");\n' },
  "a server outside the edge": {
    path: "src/observe/ban-server.ts",
    code: "export const a = Bun.serve({ port: 0, fetch: () => new Response() });\n",
  },
  "a database outside the store": {
    path: "src/ledger/ban-database.ts",
    code: 'import { Database } from "bun:sqlite";\nexport const a = new Database();\n',
  },
  "a sub-select among inserted values": {
    path: "src/store/ban-values.ts",
    code: "export const a = `INSERT INTO a (b)\n  VALUES ((SELECT 1))`;\n",
  },
  "a condition that is always true in an insertion": {
    path: "src/store/ban-true.ts",
    code: "export const a = `INSERT INTO a SELECT b FROM c WHERE true\n  ON CONFLICT (b) DO NOTHING`;\n",
  },
  "a column that is added with its check": {
    path: "src/store/ban-column.ts",
    code: 'export const a = "ALTER TABLE a ADD COLUMN b BIGINT CHECK (b > 0)";\n',
  },
  "a trigger with a transition table": {
    path: "src/store/ban-trigger.ts",
    code: 'export const a = "REFERENCING NEW TABLE AS fresh";\n',
  },
  "parts of a part": {
    path: "src/store/ban-parts.ts",
    code: 'export const a = "CREATE TABLE a PARTITION OF b DEFAULT PARTITION BY RANGE (id)";\n',
  },
  "a worker of another room": {
    path: "src/pipeline/ban-worker.ts",
    code: 'export const a = new Worker(\n  new URL("../store/writer.ts", import.meta.url),\n);\n',
  },
  "a runtime module in a room for every runtime": {
    path: "src/core/ban-runtime.ts",
    code: 'import { join } from "node:path";\nexport const a = join;\n',
  },
  "a value of core in the contract": { path: "contract/ban-value.ts", code: imports("../src/core/clock.ts", "now") },
  "a value of the contract in the console": {
    path: "console/ban-contract.ts",
    code: imports("../contract/words.ts"),
  },
  "a note to do it later": { path: "src/http/ban-later.ts", code: "// TODO: later\nexport {};\n" },
  "a cast through unknown": {
    path: "src/http/ban-cast.ts",
    code: 'export const a = "text" as unknown as number;\n',
  },
  "a format in the browser's language": {
    path: "console/src/kit/ban-format.ts",
    code: "export const a = new Intl.NumberFormat(undefined).format(1000);\n",
  },
  "an error silenced by a comment": {
    path: "src/http/ban-silence.ts",
    code: "// @ts-expect-error: it is no number\nexport const a: number = JSON;\n",
  },
};

const TEXT_PLANTS: readonly Plant[] = [
  {
    rule: "the console's words are those of the style sheet",
    path: "console/src/pages/old-words.ts",
    code: 'export const help = "In force from the next request on";\n',
    says: 'says "In force"',
  },
  {
    rule: "the commands' words are those of the style sheet",
    path: "src/cli/old-words.ts",
    code: 'export const help = "a vendor of its own";\n',
    says: "Write: its own",
  },
  {
    rule: "documents use the American spelling",
    path: "docs/old-words.md",
    code: "The catalogue is large.\n",
    says: "the American spelling",
  },
  {
    rule: "no package registry is named",
    path: "docs/install.md",
    code: "Packages come from registry.example.org.\n",
    says: "names a package registry",
  },
  {
    rule: "no path of one machine is named",
    path: "docs/where.md",
    code: "It is in /work/main.\n",
    says: "outside of the project",
  },
  {
    rule: "no document is named that a reader does not have",
    path: "docs/source.md",
    code: "As spec.md says.\n",
    says: "does not have",
  },
  {
    rule: "a file of control flow fits in 400 lines",
    path: "src/http/long.ts",
    code: Array.from({ length: 401 }, (_, index) => `export const line${index} = ${index};\n`).join(""),
    says: "has 401 lines",
  },
  {
    rule: "a type has a name of its own",
    path: "src/ledger/twin.ts",
    code: "export interface Shape {\n  readonly b: string;\n}\n",
    says: "declares Shape, which src/core/clock.ts declares too",
  },
];

const LINT_PLANTS: readonly Plant[] = [
  {
    rule: "a promise is awaited",
    path: "src/http/float.ts",
    code: "async function work(): Promise<void> {}\nexport function go(): void {\n  work();\n}\n",
    says: "noFloatingPromises",
  },
  {
    rule: "an async function is given only where one is expected",
    path: "src/http/misuse.ts",
    code: "export const go = (): void => [1].forEach(async (n) => await Promise.resolve(n));\n",
    says: "noMisusedPromises",
  },
  {
    rule: "a switch covers its union",
    path: "src/http/switch.ts",
    code: 'export function go(a: "x" | "y"): number {\n  switch (a) {\n    case "x":\n      return 1;\n  }\n  return 2;\n}\n',
    says: "useExhaustiveSwitchCases",
  },
  {
    rule: "type imports make no cycle",
    path: "src/http/cycle-a.ts",
    code: 'import type { B } from "./cycle-b.ts";\nexport interface A {\n  readonly b: B;\n}\n',
    says: "noImportCycles",
  },
];

const CYCLE_OTHER_HALF = 'import type { A } from "./cycle-a.ts";\nexport interface B {\n  readonly a: A;\n}\n';

const ROOT = join(import.meta.dir, "../../..");

/** Checks a project with these files as this project is checked. */
async function checkProject(files: Readonly<Record<string, string>>): Promise<Record<string, CheckResult>> {
  const root = await mkdtemp(join(tmpdir(), "camino-house-"));
  for (const [path, code] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), code);
  }
  for (const name of ["tsconfig.json", "biome.jsonc", "package.json", ".gitignore"]) {
    await cp(join(ROOT, name), join(root, name));
  }
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  const results = await runChecks(root);
  await rm(root, { recursive: true });
  return Object.fromEntries(results.map((result) => [result.name, result]));
}

/** The check's complaints about one file, with their continuation lines. */
function saidOf(result: CheckResult | undefined, path: string): string {
  const lines = result?.output.split("\n") ?? [];
  return lines.filter((line) => line.startsWith(path)).join("\n");
}

describe("a sound project", () => {
  test("passes every check", async () => {
    const { types, lint, ...rest } = await checkProject(SOUND);
    expect(types?.output).toBe("");
    expect(lint?.output).toBe("");
    expect(rest["house rules"]?.output).toBe("");
    expect(Object.values(rest).every(({ passed }) => passed)).toBe(true);
  });
});

describe("a planted violation is found:", () => {
  const bans = Object.entries(BANNED).map(([name, plant]) => ({ rule: name, ...plant, says: `${name} is banned` }));
  const house = [...IMPORT_PLANTS, ...bans, ...TEXT_PLANTS];
  let results: Record<string, CheckResult> = {};

  beforeAll(async () => {
    const plants = [...house, ...LINT_PLANTS].map(({ path, code }) => [path, code]);
    results = await checkProject({
      ...SOUND,
      ...Object.fromEntries(plants),
      "src/http/cycle-b.ts": CYCLE_OTHER_HALF,
      "src/http/wrong-type.ts": 'export const a: number = "a string";\n',
    });
  });

  test.each(house.map((plant) => [plant.rule, plant] as const))("%s", (_rule, { path, says }) => {
    expect(saidOf(results["house rules"], path)).toContain(says);
  });

  test.each(LINT_PLANTS.map((plant) => [plant.rule, plant] as const))("%s", (_rule, { path, says }) => {
    expect(saidOf(results.lint, path)).toContain(says);
  });

  test("types are right", () => {
    expect(saidOf(results.types, "src/http/wrong-type.ts")).toContain("TS2322");
  });

  test("no other violation is found", () => {
    const planted = new Set(house.map(({ path }) => path));
    const complaints = results["house rules"]?.output.split("\n") ?? [];
    const sound = complaints.filter((line) => !planted.has(line.split(/[: ]/)[0] ?? ""));
    expect(sound).toEqual([]);
  });

  test("every ban of the table has its plant", () => {
    expect(Object.keys(BANNED).sort()).toEqual(BANS.map(({ name }) => name).sort());
  });
});

describe("a file that may be longer", () => {
  const file = (lines: number) => [{ path: "src/a/table.ts", text: "x\n".repeat(lines) }];
  const longer = { "src/a/table.ts": { lines: 500, because: "a table" } };

  test("may have the length that it is listed with", () => {
    expect(checkSizes(file(500), longer)).toEqual([]);
  });

  test.each([
    ["grows", file(501), "has grown from 500 to 501"],
    ["fits again", file(400), "take its row out"],
    ["is gone", [], "does not exist"],
  ])("is reported when it %s", (_what, files, says) => {
    expect(checkSizes(files, longer)[0]?.message).toContain(says);
  });
});
