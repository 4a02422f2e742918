import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testInstalled } from "./support/first-call.ts";
import { packInto, personsEnvironment, ROOT, runToEnd } from "./support/npm.ts";

/**
 * The package that `npm pack` makes, from an empty folder with an empty cache to a billed call. It needs a registry of npm, from which
 * the runtime comes.
 */

let folder: string;
let tarball: string;
let camino: string;
/** What npm said while it installed. */
let said: string;
const MINUTES_MS = 300_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-package-"));
  tarball = await packInto(folder);
  const options = ["--prefix", join(folder, "prefix"), "--cache", join(folder, "cache"), "--strict-allow-scripts"];
  // Where it is strict about scripts, npm wants its folder to be there, as a person's is.
  await mkdir(join(folder, "prefix/lib"), { recursive: true });
  const child = Bun.spawn(["npm", "install", "-g", ...options, tarball], {
    ...{ cwd: folder, env: personsEnvironment(), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  said = `${await child.stdout.text()}${await child.stderr.text()}`;
  if ((await child.exited) !== 0) throw new Error(said);
  camino = join(folder, "prefix/bin/camino");
}, MINUTES_MS);

afterAll(() => rm(folder, { recursive: true, force: true }), 60_000);

describe("the package", () => {
  // 5.1 MB with what writes traces and four more pages of the playground: half of it is the program, a fifth the guide.
  test("has at most 5.5 MB", async () => {
    expect((await stat(tarball)).size).toBeLessThan(5_500_000);
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
    expect((await readdir(packages)).filter((name) => !name.startsWith("."))).toEqual(["@oven"]);
    expect(await readdir(join(packages, "@oven"))).toHaveLength(1);
  });

  test("is installed where npm allows no install script, without a warning", () => {
    // Older versions of npm do not know the word that forbids them.
    const lines = said.split("\n").filter((line) => !/strict-allow-scripts/.test(line));
    expect(lines.filter((line) => /\bwarn\b/i.test(line))).toEqual([]);
  });

  test("leaves the project's manifest as it was", async () => {
    const { scripts, dependencies } = await Bun.file(join(ROOT, "package.json")).json();
    expect(Object.keys(dependencies).length).toBeGreaterThan(1);
    expect(scripts.prepack).toContain("pack.ts");
  });
});

describe("installed without install scripts, by a person who has no Bun", () => {
  testInstalled(() => ({ camino, folder }));

  test("`npx` runs the package as well", async () => {
    const { version } = await Bun.file(join(ROOT, "package.json")).json();
    const words = ["--yes", "--ignore-scripts", "--cache", join(folder, "cache"), `--package=${tarball}`];
    const printed = await runToEnd(["npx", ...words, "--", "camino", "--version"], folder);
    expect(printed).toBe(`${version}\n`);
  }, 120_000);
});
