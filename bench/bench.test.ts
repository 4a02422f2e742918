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
  test("measures the bare proxy and the floor, and checks every answer to the byte", async () => {
    const json = join(folder, "figures.json");
    const { status, stdout, stderr } = await bench("--only=bare,floor", `--json=${json}`, ...SMALL);
    expect(stderr).not.toContain("error");
    expect(status).toBe(0);
    expect(stdout).toContain("processor time per call");
    const { summaries } = await Bun.file(json).json();
    expect(Object.keys(summaries)).toEqual(["bare", "floor"]);
    expect(summaries.bare.unary_per_s).toBeGreaterThan(0);
  });

  test("fails its gate where the gateway was not measured", async () => {
    const { status, stdout } = await bench("--only=floor", "--gate", ...SMALL);
    expect(status).toBe(1);
    expect(stdout).toContain("both must be measured");
  });
});
