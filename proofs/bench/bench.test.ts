import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = await mkdtemp(join(tmpdir(), "camino-bench-test-"));
afterAll(() => rm(folder, { recursive: true }));

async function bench(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bench.ts"), ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

const SMALL = ["--quick", "--rounds=1", "--calls=50", "--streams=8", "--latency-calls=10"];

describe("the bench", () => {
  test("measures the proxies that do less, and checks every answer to the byte", async () => {
    const json = join(folder, "figures.json");
    const { status, stdout, stderr } = await bench("--only=bare,billed,floor", `--json=${json}`, ...SMALL);
    expect(stderr).not.toContain("error");
    expect(status).toBe(0);
    expect(stdout).toContain("processor time per call");
    const { summaries } = await Bun.file(json).json();
    expect(Object.keys(summaries)).toEqual(["bare", "billed", "floor"]);
    expect(summaries.bare.unary_per_s).toBeGreaterThan(0);
  }, 60_000);

  test("measures further lanes that are asked for, each with programs of its own", async () => {
    const json = join(folder, "lanes.json");
    const lanes = ["--lanes=idle", "--databases=sqlite", "--quick"];
    const { status, stdout, stderr } = await bench(...lanes, `--json=${json}`);
    expect(stderr).not.toContain("rror");
    expect(status).toBe(0);
    expect(stdout).toContain("gateway on sqlite, idle: processor time, ms a second");
    const said = await Bun.file(json).json();
    expect(said.summaries).toBeUndefined();
    expect(said.lanes.map(({ lane }: { lane: string }) => lane)).toEqual(["idle"]);
    expect(Object.keys(said.lanes[0].rounds)).toEqual(["bare", "gateway on sqlite"]);
  }, 60_000);

  test.each([
    [["--lanes=unary,nothing"], "there is no such lane; known are unary, history, streaming, latency, keys,"],
    [["--all", "--lanes=idle"], "only one of them is wanted"],
    [["--databases=mysql"], "known are sqlite, postgres"],
    [["--peers=nobody"], "known are all, litellm, portkey"],
    [["--variant=bare=bin/camino"], "is the name of a candidate"],
  ])("says what is wrong with %p", async (args, problem) => {
    const { status, stderr } = await bench(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
  });

  test("fails its gate where the gateway was not measured", async () => {
    const { status, stdout } = await bench("--only=floor", "--gate", ...SMALL);
    expect(status).toBe(1);
    expect(stdout).toContain("both must be measured");
  });
});
