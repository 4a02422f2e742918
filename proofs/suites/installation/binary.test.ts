import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BARE, serveInstalled, testInstalled } from "./support/first-call.ts";
import { ROOT, runToEnd } from "./support/npm.ts";

/** The one executable file, alone in a folder, on a machine that has neither Node.js nor Bun in its path. */

let folder: string;
let camino: string;
const MINUTES_MS = 300_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-binary-"));
  const printed = await runToEnd([join(ROOT, "bin/camino-bun"), join(ROOT, "scripts/build-binary.ts")], ROOT);
  camino = join(folder, "camino");
  await copyFile(printed.trim(), camino);
  await chmod(camino, 0o755);
}, MINUTES_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the one executable file", () => {
  testInstalled(() => ({ camino, folder }));

  test("is the process that was started, with the runtime's settings", async () => {
    await using gateway = await serveInstalled([camino], join(folder, "home-settings"));
    // A process whose program replaced itself keeps its number, so that signals and the exit status are its own.
    expect(gateway.pid).toBe(gateway.started_pid);
    const environment = await readFile(`/proc/${gateway.pid}/environ`, "utf8").catch(() => "BUN_JSC_forceRAMSize=");
    expect(environment).toContain("BUN_JSC_forceRAMSize=");
  });

  test("does not run what lies in the folder where it is started", async () => {
    const home = join(folder, "home-strange");
    await mkdir(join(home, "src"), { recursive: true });
    await Bun.write(join(home, "bunfig.toml"), 'preload = ["./strange.ts"]\n');
    await Bun.write(join(home, "strange.ts"), 'console.log("a stranger\'s code runs");\n');
    expect(await runToEnd([camino, "--version"], home, BARE)).not.toContain("stranger");
  });
});
