import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CircuitHistory } from "../../../contract/health.ts";
import type { TestKey } from "../../support/gateway.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { STYLES } from "./support/styles.ts";

/** When a vendor's circuit opened and closed, and why, is known after the process that saw it has ended. */

const [chat] = STYLES as [(typeof STYLES)[number]];

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({
    models: { "nowhere/m": { upstream_model: "m" }, "failing/m": { upstream_model: "fail-500" } },
    vendors: { nowhere: { base_url: "http://127.0.0.1:9/v1" }, failing: {} },
  });
  key = await scene.newKey({ credit: "100" });
});
afterAll(() => scene[Symbol.asyncDispose]());

async function changesOf(vendor: string): Promise<CircuitHistory["data"]> {
  return await eventually(`a circuit of ${vendor}`, async () => {
    const history = await scene.gateway.admin<CircuitHistory>("GET", `/health/circuits?vendor=${vendor}`);
    return history.data.length === 0 ? null : history.data;
  });
}

test("circuits that opened are told with their reason, and still after a restart, by another node", async () => {
  for (let n = 0; n < 5; n += 1) await (await scene.call(chat, key, "nowhere/m")).text();
  for (let n = 0; n < 20; n += 1) await (await scene.call(chat, key, "failing/m")).text();
  const [opened] = await changesOf("nowhere");
  expect(opened).toMatchObject({ upstream_model: "m", account: null, state: "opened", reason: "unreachable" });
  expect(opened?.failures).toBeGreaterThanOrEqual(5);
  const [own] = await changesOf("failing");
  expect(own).toMatchObject({ account: key.account, state: "opened", reason: "failures", attempts: 20, failures: 20 });
  expect(own?.account_email).toContain("@");

  await scene.gateway.stop();
  scene.gateway = await scene.gateway.restart();
  expect(await changesOf("nowhere")).toEqual([opened as NonNullable<typeof opened>]);
  const { node } = await scene.gateway.admin<{ node: string }>("GET", "/health");
  expect(opened?.node).not.toBe(node);
});

test("the history is a file too, and of the vendor that is asked for", async () => {
  const token = (await Bun.file(`${scene.gateway.data}/admin-token`).text()).trim();
  const headers = { authorization: `Bearer ${token}` };
  const file = await fetch(`${scene.gateway.url}/console/api/health/circuits?format=csv&vendor=failing`, { headers });
  const [head, row, ...more] = (await file.text()).trim().split("\r\n");
  expect(head).toBe("at,node,vendor,upstream_model,account,account_email,state,reason,attempts,failures");
  expect(row).toContain(",failing,fail-500,");
  expect(more).toEqual([]);
  expect((await scene.gateway.admin<CircuitHistory>("GET", "/health/circuits?vendor=nobody")).data).toEqual([]);
});
