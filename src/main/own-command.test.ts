import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownCommand } from "./own-command.ts";

const ROOT = join(import.meta.dir, "../..");

let folder: string;
/** An installed package's launcher, and the folder with the link to it that npm makes. */
let launcher: string;
let bin: string;
let stranger: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-own-command-"));
  launcher = join(folder, "lib/node_modules/camino/bin/camino");
  [bin, stranger] = [join(folder, "bin"), join(folder, "stranger")];
  await mkdir(bin);
  for (const path of [launcher, join(stranger, "camino"), join(folder, "with space/camino-linux-x64")]) {
    await Bun.write(path, "#!/bin/sh\n");
    await chmod(path, 0o755);
  }
  await symlink(launcher, join(bin, "camino"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("messages start this program's commands", () => {
  test("by npx in the clone's folder and below it", () => {
    const place = { program: "/home/me/camino/bin/camino", clone: "/home/me/camino" };
    expect(ownCommand({}, { ...place, cwd: "/home/me/camino" })).toBe("npx camino");
    expect(ownCommand({}, { ...place, cwd: "/home/me/camino/docs" })).toBe("npx camino");
  });

  test("by the launcher's path outside of the clone, where npm would ask its registry for the name", () => {
    const place = { program: "/home/me/camino/bin/camino", clone: "/home/me/camino" };
    expect(ownCommand({ PATH: "/usr/bin" }, { ...place, cwd: "/srv" })).toBe("/home/me/camino/bin/camino");
    expect(ownCommand({}, { ...place, cwd: "/home/me/camino-2" })).toBe("/home/me/camino/bin/camino");
  });

  test("by its name where the search path leads to it", () => {
    const place = { program: launcher, clone: null, cwd: "/" };
    expect(ownCommand({ PATH: `/none:${bin}:/usr/bin` }, place)).toBe("camino");
  });

  test("by its path where the search path leads nowhere, or to another program of that name first", () => {
    const place = { program: launcher, clone: null, cwd: "/" };
    expect(ownCommand({ PATH: "/usr/bin" }, place)).toBe(launcher);
    expect(ownCommand({ PATH: `${stranger}:${bin}` }, place)).toBe(launcher);
  });

  test("by its file's own name, and in quotes where a shell would take its path for two words", () => {
    const home = join(folder, "with space");
    const place = { program: join(home, "camino-linux-x64"), clone: null, cwd: "/" };
    expect(ownCommand({ PATH: home }, place)).toBe("camino-linux-x64");
    expect(ownCommand({ PATH: "/usr/bin" }, place)).toBe(`'${home}/camino-linux-x64'`);
  });

  test("by npx and the package's file, where npx has started it", () => {
    const env = { PATH: bin, npm_command: "exec", npm_config_package: "./camino-1.0.0.tgz" };
    const place = { program: launcher, clone: null, cwd: "/" };
    expect(ownCommand(env, place)).toBe("npx --package=./camino-1.0.0.tgz -- camino");
  });

  test("in no words of their own: a name that only a clone's folder has is written in one place", async () => {
    const files = await Array.fromAsync(new Bun.Glob("{src,console,contract}/**/*.{ts,tsx}").scan({ cwd: ROOT }));
    const sources = files.filter(
      (path) => !/node_modules|\.test\.tsx?$/.test(path) && !path.endsWith("/own-command.ts"),
    );
    expect(sources.length).toBeGreaterThan(500);
    const texts = await Promise.all(
      sources.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
    );
    expect(texts.filter(([, text]) => text.includes("npx camino")).map(([path]) => path)).toEqual([]);
  });

  test("by its path where its file has gone since", () => {
    expect(ownCommand({ PATH: bin }, { program: "/gone/camino", clone: null, cwd: "/" })).toBe("/gone/camino");
  });
});
