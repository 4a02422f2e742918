import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ReceiptDetail } from "../../../contract/requests.ts";
import { Vendor } from "../../../contract/vendors.ts";
import type { TestKey } from "../../support/gateway.ts";
import { ConsoleCaller } from "../administration/support/console.ts";
import { type Scene, startScene } from "./support/scene.ts";
import { chat, STYLES } from "./support/styles.ts";

/** Several credentials of one vendor (docs/rulings.md 180): each rests for itself, and the others go on. */

let scene: Scene;
let admin: ConsoleCaller;
let key: TestKey;

const keysOf = (vendor: string, count = 3) =>
  Array.from({ length: count }, (_, at) => ({ key: `sk-${vendor}-${at + 1}-0123456789` }));

/** Each test has its own vendor, as rests and retry budgets last. */
const VENDORS = ["weighted", "limited", "refused", "forbidden", "exhausted", "broken", "spared", "edited", "busy"];

beforeAll(async () => {
  scene = await startScene({
    vendors: {
      ...Object.fromEntries(VENDORS.map((id) => [id, { api_key: null, api_keys: keysOf(id) }])),
      weighted: { api_key: null, api_keys: [{ ...keysOf("weighted")[0], weight: 3 }, keysOf("weighted")[1]] },
    },
    models: {
      ...Object.fromEntries(VENDORS.map((id) => [`${id}/echo`, {}])),
      "broken/echo": { upstream_model: "fail-500@case=broken" },
      "busy/echo": { upstream_model: "fail-first@n=1&status=503&case=keys" },
      "spared/echo": { fallbacks: ["acme/spare"] },
      "acme/spare": { upstream_model: "echo@spare=keys" },
    },
  });
  admin = await ConsoleCaller.of(scene.gateway);
  key = await scene.newKey({ credit: "1000" });
});

afterAll(() => scene[Symbol.asyncDispose]());

beforeEach(() => scene.simulator.refused.clear());

function refuse(
  vendor: string,
  numbers: readonly number[],
  status: number,
  headers: Record<string, string> = {},
): void {
  for (const number of numbers) scene.simulator.refused.set(`sk-${vendor}-${number}-0123456789`, { status, headers });
}

async function ask(model: string, style = chat, by = key) {
  const response = await scene.call(style, by, model, { cap: 20 });
  const body = await response.text();
  const receipt = await scene.ended(response.headers.get("x-camino-request-id") ?? "");
  return { status: response.status, body, retry_after: response.headers.get("retry-after"), receipt };
}

const used = () => scene.simulator.log.last?.headers.authorization ?? scene.simulator.log.last?.headers["x-api-key"];
const stateOf = async (vendor: string) => (await admin.read(Vendor, `GET /vendors/${vendor}`)).credential.keys;

test("are used by their weights, and receipts tell administrators which", async () => {
  const counts = new Map<string, number>();
  for (let n = 0; n < 60; n += 1) {
    // Another conversation each time.
    const response = await scene.call(chat, key, "weighted/echo", { cap: 20, text: `say ${n}` });
    await response.text();
    counts.set(used() ?? "", (counts.get(used() ?? "") ?? 0) + 1);
  }
  expect(counts.size).toBe(2);
  expect(counts.get("Bearer sk-weighted-1-0123456789")).toBeGreaterThan(30);
  const { receipt } = await ask("weighted/echo");
  const told = await admin.read(ReceiptDetail, `GET /requests/${receipt.id}`);
  expect(told.attempts[0]?.credential).toBeOneOf(["key-1", "key-2"]);
});

describe.each(STYLES)("$protocol", (style) => {
  test.each([
    [429, "limited"],
    [401, "refused"],
  ] as const)(
    "a credential that answers %d rests alone, and the request goes on with another",
    async (status, vendor) => {
      refuse(vendor, [1, 2], status);
      for (let n = 0; n < 6; n += 1) expect((await ask(`${vendor}/echo`, style)).status).toBe(200);
      const states = await stateOf(vendor);
      expect(states.map(({ state }) => state)).toContain("ready");
      expect(states[2]).toMatchObject({ name: "key-3", state: "ready", reason: null });
      for (const each of states) if (each.state === "resting") expect(each.reason).toBe(vendor);
    },
  );
});

test("a 403 keeps the credential from the account alone", async () => {
  refuse("forbidden", [1, 2], 403);
  // Other conversations, of which some have the refused ones.
  for (let n = 0; n < 20; n += 1) {
    const response = await scene.call(chat, key, "forbidden/echo", { cap: 20, text: `say ${n}` });
    await response.text();
    expect(response.status).toBe(200);
  }
  scene.simulator.refused.clear();
  const states = await stateOf("forbidden");
  expect(states.every(({ state }) => state === "ready")).toBe(true);
  expect(states.some(({ accounts_alone }) => accounts_alone === 1)).toBe(true);
});

test("when all rest the answer is 503 with the shortest wait, their circuit is open, and a vendor is not asked", async () => {
  refuse("exhausted", [1], 429, { "retry-after": "600" });
  refuse("exhausted", [2], 429, { "retry-after": "60" });
  refuse("exhausted", [3], 429, { "retry-after": "900" });
  expect((await ask("exhausted/echo")).status).toBe(429);
  const asked = scene.simulator.log.total;
  const { status, body, retry_after } = await ask("exhausted/echo");
  expect({ status, code: JSON.parse(body).error.code }).toEqual({ status: 503, code: "model_unavailable" });
  expect(Number(retry_after)).toBeLessThanOrEqual(60);
  expect(Number(retry_after)).toBeGreaterThan(50);
  expect(scene.simulator.log.total).toBe(asked);
  const vendor = await admin.read(Vendor, "GET /vendors/exhausted");
  expect(vendor.models[0]?.health?.circuit.state).toBe("open");
});

test("when all rest a fallback answers", async () => {
  refuse("spared", [1, 2, 3], 401);
  const first = await ask("spared/echo");
  expect({ status: first.status, attempts: first.receipt.attempts.length }).toEqual({ status: 200, attempts: 4 });
  const { status, receipt } = await ask("spared/echo");
  expect({ status, vendors: receipt.attempts.map(({ vendor }) => vendor) }).toEqual({ status: 200, vendors: ["acme"] });
});

test("a failure that is not about the credential is not tried with every one", async () => {
  const { status, receipt } = await ask("broken/echo");
  expect({ status, attempts: receipt.attempts.length }).toEqual({ status: 502, attempts: 1 });
  expect((await stateOf("broken")).every(({ state }) => state === "ready")).toBe(true);
});

test("a short failure is retried once", async () => {
  const { status, receipt } = await ask("busy/echo");
  expect({ status, statuses: receipt.attempts.map((attempt) => attempt.status) }).toEqual({
    status: 200,
    statuses: [503, 200],
  });
});

test("an administrator edits them one by one, and no key is ever shown", async () => {
  const put = (api_keys: object[]) => admin.send("PUT /vendors/edited/credential", { api_keys });
  const refusal = await put([{ name: "key-1" }]);
  expect(refusal.status).toBe(400);
  expect(await refusal.text()).toContain("the console has no key in use named");
  await admin.read(Vendor, "PUT /vendors/edited/credential", { api_key: "sk-edited-1-0123456789" });
  const own = await admin.read(Vendor, "PUT /vendors/edited/credential", {
    api_keys: [
      { name: "key-1", weight: 2 },
      { name: "next", key: " sk-edited-2-0123456789 " },
    ],
  });
  expect(own.credential).toMatchObject({
    source: "console",
    keys: [
      { name: "key-1", hint: "6789", weight: 2 },
      { name: "next", hint: "6789", weight: 1 },
    ],
  });
  expect((await ask("edited/echo")).status).toBe(200);
  refuse("edited", [2], 401);
  const test_of = (name: string) =>
    admin.send("POST /vendors/edited/test", { key: name }).then((answer) => answer.json());
  expect(await test_of("next")).toMatchObject({ ok: false, status: 401 });
  expect(await test_of("key-1")).toMatchObject({ ok: true });
  const less = await admin.read(Vendor, "PUT /vendors/edited/credential", { api_keys: [{ name: "next" }] });
  expect(less.credential.keys.map(({ name }) => name)).toEqual(["next"]);
  expect(admin.told.join("\n")).not.toContain("sk-edited");
  const log = await (await admin.send("GET /audit-log")).text();
  expect(log).not.toContain("sk-edited");
});
