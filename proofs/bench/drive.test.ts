import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLAIN, type Place, runLoad, runOpenLoad, targetOf, vendorPlace } from "./drive.ts";
import { HELD, WHOLE } from "./exchange.ts";
import { endHeld, holdStreams } from "./hold-streams.ts";
import { type Program, startServer } from "./programs.ts";

const running: Program[] = [];
let folder = "";
let bare: Place;
let vendor: Place;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-bench-drive-"));
  const started = await startServer("vendor.ts", [], folder);
  running.push(started);
  vendor = vendorPlace(`http://127.0.0.1:${started.port}/v1`);
  const proxy = await startServer("bare-proxy.ts", [vendor.url, "the-key"], folder);
  running.push(proxy);
  bare = { ...PLAIN, url: `http://127.0.0.1:${proxy.port}/v1`, key: "the-key" };
});
afterAll(async () => {
  for (const program of running.reverse()) await program.stop();
  await rm(folder, { recursive: true });
});

describe("the load generator", () => {
  test("deals its connections out to several targets", async () => {
    const targets = [targetOf(bare, WHOLE), targetOf(vendor, WHOLE)];
    const result = await runLoad({ targets, in_turn: false, calls: 40, concurrency: 4 });
    expect(result.latencies).toHaveLength(1);
    expect(result.reads_per_call).toBeGreaterThanOrEqual(1);
  });

  test("calls with all of a target's keys, and ends with the answer to one that is refused", async () => {
    const target = { ...targetOf(bare, WHOLE), keys: ["the-key", "another-key"] };
    const load = runLoad({ targets: [target], in_turn: false, calls: 100, concurrency: 2 });
    await expect(load).rejects.toThrow("answered 401");
  });

  test("takes more keys than a command line has room for", async () => {
    const target = { ...targetOf(bare, WHOLE), keys: Array.from({ length: 20_000 }, () => "the-key") };
    const result = await runLoad({ targets: [target], in_turn: false, calls: 20, concurrency: 2 });
    expect(result.latencies[0]?.p99_ms).toBeGreaterThan(0);
  });
});

describe("the load generator of an open loop", () => {
  test("makes all calls at their times, whether or not earlier ones have ended", async () => {
    const order = { target: targetOf(bare, WHOLE), rate_per_s: 500, calls: 100, seed: 1 };
    const { latency, late, duration_ms, connections } = await runOpenLoad(order);
    expect(latency.p50_ms).toBeGreaterThan(late.p50_ms);
    expect(duration_ms).toBeGreaterThan(100);
    expect(connections).toBeGreaterThanOrEqual(1);
  });

  test("ends with the answer to a call that is refused", async () => {
    const target = targetOf({ ...bare, key: "another-key" }, WHOLE);
    await expect(runOpenLoad({ target, rate_per_s: 500, calls: 10, seed: 1 })).rejects.toThrow("answered 401");
  });
});

describe("streams that are kept open", () => {
  test("are opened step by step, and end completely when the vendor is told so", async () => {
    await using streams = holdStreams({ target: targetOf(bare, HELD), steps: [3, 60] });
    await streams.opened(3);
    await streams.opened(60);
    await endHeld(vendor.url);
    await streams.ended(60);
  });

  test("say why they do not open", async () => {
    const target = targetOf({ ...bare, key: "another-key" }, HELD);
    await using streams = holdStreams({ target, steps: [3] });
    await expect(streams.opened(3)).rejects.toThrow("answered 401");
  });
});
