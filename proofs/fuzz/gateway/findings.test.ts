import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../suites/failures/support/scene.ts";
import { WireClient } from "../../suites/http-wire/support/wire-client.ts";
import type { TestKey } from "../../support/gateway.ts";
import { faultsIn } from "../judge/judge-log.ts";
import { type FuzzWorld, startFuzzWorld } from "./fuzz-world.ts";
import { runBatch } from "./run-batch.ts";

/** Requests that were once more than the gateway could bear, as raw bytes: `findings/gateway/NAME`. */

const FUZZ = join(import.meta.dir, "..");
const FOUND = [...new Bun.Glob("findings/gateway/*").scanSync({ cwd: FUZZ })].sort();

let world: FuzzWorld;
let key: TestKey;

beforeAll(async () => {
  world = await startFuzzWorld("sqlite");
  key = await world.gateway.newKey({ credit: "10" });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function metric(name: string): Promise<number> {
  const metrics = await (await fetch(`${world.gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1] ?? Number.NaN);
}

test.each(FOUND)("the gateway bears %s, by a client that stays and by one that leaves", async (path) => {
  const bytes = Buffer.from(readFileSync(join(FUZZ, path), "latin1").replaceAll("{key}", key.key), "latin1");
  for (const leaves of [true, false]) {
    using client = await WireClient.open(world.gateway.url);
    await client.sendAll(bytes);
    await Bun.sleep(leaves ? 20 : 400);
    expect(client.fault).toBeNull();
    expect(client.answers.filter(({ status }) => status >= 500)).toEqual([]);
  }
  await eventually("rest", async () => ((await metric("camino_requests_in_flight")) === 0 ? true : null));
  const wallet = await world.gateway.admin<{ uncollected_micro: number }>("GET", `/accounts/${key.account}`);
  expect(wallet.uncollected_micro).toBe(0);
  expect(faultsIn(world.newLog())).toEqual([]);
});

test("a batch of cases has no findings, and reaches what it is there for", async () => {
  const numbers = Array.from({ length: 64 }, (_, at) => at);
  const { findings, cases, vendor_kinds, charged_micro } = await runBatch(world, {
    seed: 7,
    numbers,
    workers: 16,
    audited: true,
  });
  expect(findings).toEqual([]);
  expect(new Set(vendor_kinds).size).toBeGreaterThan(4);
  expect(charged_micro).toBeGreaterThan(0);
  const statuses = new Set(cases.flatMap(({ answers }) => answers.map(({ status }) => status)));
  for (const status of [200, 400, 401, 404]) expect([...statuses]).toContain(status);
});
