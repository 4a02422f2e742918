import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder } from "./memory-folder.ts";

test("a run's temporary folder goes with all that tests have left in it", async () => {
  const folder = await makeTemporaryFolder({});
  await Bun.write(join(folder.path, "of-a-test", "left"), "x");
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test("it is where TMPDIR says, and what a killed run has left there is removed", async () => {
  const parent = await mkdtemp(join(tmpdir(), "camino-memory-"));
  const ended = Bun.spawnSync(["true"]).pid;
  const left = join(parent, `camino-tests-${ended}-abc`);
  const living = join(parent, `camino-tests-${process.ppid}-abc`);
  const others = join(parent, "someone-else");
  for (const path of [left, living, others]) await mkdir(path);
  await using folder = await makeTemporaryFolder({ TMPDIR: parent });
  expect(folder.path).toStartWith(join(parent, `camino-tests-${process.pid}-`));
  expect([left, living, others].map((path) => existsSync(path))).toEqual([false, true, true]);
  await rm(parent, { recursive: true });
});

test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "a file system that a killed test has left mounted stops no later run",
  async () => {
    const parent = await mkdtemp(join(tmpdir(), "camino-memory-"));
    const disk = join(parent, `camino-tests-${Bun.spawnSync(["true"]).pid}-abc`, "disk");
    await mkdir(disk, { recursive: true });
    Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]);
    try {
      await using folder = await makeTemporaryFolder({ TMPDIR: parent });
      expect([existsSync(disk), existsSync(folder.path)]).toEqual([true, true]);
    } finally {
      Bun.spawnSync(["umount", disk]);
      await rm(parent, { recursive: true });
    }
  },
);
