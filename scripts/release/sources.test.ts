import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printed } from "./run.ts";
import { requireCommitted, requireWhole } from "./sources.ts";

let folder: string;
const git = (...words: string[]) =>
  printed(["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...words], folder);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-sources-"));
  await git("init", "--quiet");
  await Bun.write(join(folder, "a"), "1");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "first", "--date", "2026-01-02T03:04:05Z");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a release", () => {
  test("is made of a commit, and has its time", async () => {
    const seconds = Number(await git("show", "--no-patch", "--format=%ct"));
    expect(await requireCommitted(folder, "1.0.0")).toEqual(new Date(seconds * 1000));
  });

  test("may be made again of the commit that has its tag, and of no other", async () => {
    await git("tag", "v1.0.0");
    await requireCommitted(folder, "1.0.0");
    await git("commit", "--quiet", "--allow-empty", "--message", "second");
    await expect(requireCommitted(folder, "1.0.0")).rejects.toThrow("v1.0.0 is the tag of another commit");
    await requireCommitted(folder, "1.0.1");
  });

  test("is not made of a tree with changes or with files that git does not know", async () => {
    await Bun.write(join(folder, "b"), "new");
    await expect(requireCommitted(folder, "1.0.1")).rejects.toThrow("the working tree is not what is committed:\n?? b");
    await rm(join(folder, "b"));
    await Bun.write(join(folder, "a"), "2");
    await expect(requireCommitted(folder, "1.0.1")).rejects.toThrow("M a");
  });
});

describe("a version", () => {
  const lockOf = (version: string, own = version) => JSON.stringify({ version, packages: { "": { version: own } } });

  test.each([
    ["9.0.0", "9.0.0", "package.json has version 1.0.0, and package-lock.json 9.0.0:"],
    ["1.0.0", "0.9.0", "package.json has version 1.0.0, and package-lock.json 1.0.0 and 0.9.0:"],
    ["1.0.0", "1.0.0", "proofs/suites/upgrade/fixtures/1.0.0 is missing"],
  ])("with the lock file's %s and %s and without databases is refused: %s", async (version, own, reason) => {
    await Bun.write(join(folder, "package-lock.json"), lockOf(version, own));
    await expect(requireWhole(folder, "1.0.0")).rejects.toThrow(reason);
  });

  test("that is said by both files and has left its databases is whole", async () => {
    await Bun.write(join(folder, "package-lock.json"), lockOf("1.0.0"));
    await Bun.write(join(folder, "proofs/suites/upgrade/fixtures/1.0.0/camino.db.br"), "");
    await requireWhole(folder, "1.0.0");
  });
});
