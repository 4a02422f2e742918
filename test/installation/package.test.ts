import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectToBill, serveInstalled } from "./support/first-call.ts";
import { packInto, ROOT, runToEnd } from "./support/npm.ts";

/**
 * The package that `npm pack` makes, from an empty folder with an empty cache to a billed call. It needs a registry of npm, from which
 * the runtime comes.
 */

let folder: string;
let tarball: string;
let camino: string;
const MINUTES_MS = 300_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-package-"));
  tarball = await packInto(folder);
  const options = ["--prefix", join(folder, "prefix"), "--cache", join(folder, "cache"), "--ignore-scripts"];
  await runToEnd(["npm", "install", "-g", ...options, tarball], folder);
  camino = join(folder, "prefix/bin/camino");
}, MINUTES_MS);

afterAll(() => rm(folder, { recursive: true, force: true }), 60_000);

describe("the package", () => {
  test("has at most 5 MB", async () => {
    expect((await stat(tarball)).size).toBeLessThan(5_000_000);
  });

  test("has what runs, and nothing that only development needs", async () => {
    const installed = join(folder, "prefix/lib/node_modules/camino");
    const found = await readdir(installed, { recursive: true, withFileTypes: true });
    const paths = found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
      .filter((path) => !path.startsWith("node_modules/"));
    const expected =
      /^(bin\/camino(-bun)?|dist\/package\/.*|dist\/site\/.*|console\/dist\/.*|package\.json|[A-Z-]+(\.md)?)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining(["LICENSE", "LICENCES.md", "console/dist/index.html", "dist/package/main.js"]),
    );
    expect(paths.filter((path) => /\.(map|test\..*)$/.test(path))).toEqual([]);
  });

  test("depends on the runtime alone", async () => {
    const packages = join(folder, "prefix/lib/node_modules/camino/node_modules");
    expect((await readdir(packages)).filter((name) => !name.startsWith(".")).sort()).toEqual(["@oven", "bun"]);
  });

  test("leaves the project's manifest as it was", async () => {
    const { scripts, dependencies } = await Bun.file(join(ROOT, "package.json")).json();
    expect(Object.keys(dependencies).length).toBeGreaterThan(1);
    expect(scripts.prepack).toContain("pack.ts");
  });
});

describe("installed without install scripts, by a person who has no Bun", () => {
  test("the command says its version", async () => {
    const { version } = await Bun.file(join(ROOT, "package.json")).json();
    expect(await runToEnd([camino, "--version"], folder, { PATH: "/usr/bin:/bin" })).toBe(`${version}\n`);
  });

  test.each([
    ["one process", []],
    ["two workers", ["--workers", "2"]],
  ])("a gateway of %s serves, bills, and ends in good order", async (_form, words) => {
    const home = join(folder, `home-${words.length}`);
    await using gateway = await serveInstalled([camino], home, { words });
    await expectToBill([camino], gateway, home);
    expect(await gateway.stop()).toBe(0);
  });

  test("`npx` runs the package as well", async () => {
    const { version } = await Bun.file(join(ROOT, "package.json")).json();
    const words = ["--yes", "--ignore-scripts", "--cache", join(folder, "cache"), `--package=${tarball}`];
    const printed = await runToEnd(["npx", ...words, "--", "camino", "--version"], folder);
    expect(printed).toBe(`${version}\n`);
  }, 120_000);
});
