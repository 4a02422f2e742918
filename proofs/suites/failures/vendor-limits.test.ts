import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Static } from "typebox";
import { ReceiptDetail } from "../../../contract/requests.ts";
import { Vendor } from "../../../contract/vendors.ts";
import type { TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { ConsoleCaller } from "../administration/support/console.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { chat, STYLES } from "./support/styles.ts";

/** Limits of vendors and of their credentials (docs/rulings.md 178): what has reached one is passed over. */

let scene: Scene;
let admin: ConsoleCaller;
let key: TestKey;

const COST = { input: "100000.00", output: "100000.00" };

beforeAll(async () => {
  scene = await startScene({
    vendors: {
      ...Object.fromEntries(STYLES.map(({ protocol }) => [`rate-${protocol}`, { limits: { rpm: 2 } }])),
      spent: { limits: { spend: "1/day" } },
      crowded: { limits: { concurrent: 1 } },
      tokens: { limits: { tpm: 1000 } },
      keyed: {
        api_key: null,
        api_keys: [
          { key: "sk-keyed-1-0123456789", limits: { rpm: 2 } },
          { key: "sk-keyed-2-0123456789", limits: { rpm: 3 } },
        ],
      },
      backed: { limits: { rpm: 1 } },
    },
    models: {
      ...Object.fromEntries(STYLES.map(({ protocol }) => [`rate-${protocol}/echo`, {}])),
      "spent/echo": { upstream_model: "echo@case=spent", cost: COST },
      "crowded/slow": { upstream_model: "slow@ms=120&case=crowded" },
      "tokens/echo": { upstream_model: "echo@input=900&output=200&case=tokens" },
      "keyed/echo": {},
      "backed/echo": { fallbacks: ["acme/spare"] },
      "acme/spare": { upstream_model: "echo@spare=limits" },
    },
  });
  admin = await ConsoleCaller.of(scene.gateway);
  key = await scene.newKey({ credit: "1000" });
});

afterAll(() => scene[Symbol.asyncDispose]());

async function ask(model: string, style = chat, stream = false) {
  const response = await scene.call(style, key, model, { cap: 20, stream });
  const body = await response.text();
  const id = response.headers.get("x-camino-request-id") ?? "";
  return { status: response.status, body, retry_after: Number(response.headers.get("retry-after")), id };
}

const limitsOf = async (vendor: string) => (await admin.read(Vendor, `GET /vendors/${vendor}`)).limits;

describe.each(STYLES)("$protocol", (style) => {
  test.each([false, true])("requests over the rate get a 503 with the wait, streamed: %p", async (stream) => {
    const model = `rate-${style.protocol}/echo`;
    for (let n = 0; n < 3; n += 1) await ask(model, style, stream);
    const { status, body, retry_after } = await ask(model, style, stream);
    expect(status).toBe(503);
    expect(body).toContain("unavailable for the moment");
    expect(retry_after).toBeGreaterThan(30);
    expect(retry_after).toBeLessThanOrEqual(60);
    expect(await limitsOf(`rate-${style.protocol}`)).toEqual([{ limit: "rpm", allowed: 2, share: 2, used: 2 }]);
  });
});

test("spending by the vendor's own cost closes it until the next day", async () => {
  expect((await ask("spent/echo")).status).toBe(200);
  const { status, retry_after } = await ask("spent/echo");
  expect(status).toBe(503);
  expect(retry_after).toBeGreaterThan(60);
  const [used] = await limitsOf("spent");
  expect(used).toMatchObject({ limit: "spend", allowed: 1_000_000 });
  expect(used?.used).toBeGreaterThan(1_000_000);
});

test("a place among the requests in flight is free again when one has ended", async () => {
  const first = ask("crowded/slow", chat, true);
  await eventually("the first is asked", async () => ((await limitsOf("crowded"))[0]?.used === 1 ? true : null));
  expect((await ask("crowded/slow")).status).toBe(503);
  expect((await first).status).toBe(200);
  expect((await ask("crowded/slow")).status).toBe(200);
  expect((await limitsOf("crowded"))[0]?.used).toBe(0);
});

test("tokens are those that were used", async () => {
  expect((await ask("tokens/echo")).status).toBe(200);
  expect((await ask("tokens/echo")).status).toBe(503);
  const [tokens] = await limitsOf("tokens");
  expect(tokens).toMatchObject({ limit: "tpm", allowed: 1000 });
  expect(tokens?.used).toBeGreaterThanOrEqual(900);
});

test("a credential that has reached its limit is passed over, and when none is left there is no answer", async () => {
  const answers = [];
  for (let n = 0; n < 6; n += 1) answers.push(await ask("keyed/echo"));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 503]);
  const told = [];
  for (const { id } of answers.slice(0, 5)) {
    await scene.ended(id);
    told.push(...((await admin.read(ReceiptDetail, `GET /requests/${id}`)).attempts[0]?.passed_over ?? []));
  }
  expect(told).toEqual([expect.stringContaining("its limit of rpm is reached")]);
  const { credential } = await admin.read(Vendor, "GET /vendors/keyed");
  expect(credential.keys.map(({ limits }) => limits[0]?.used)).toEqual([2, 3]);
});

test("metrics count the limits that are reached", async () => {
  const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
  expect(Number(/camino_vendor_limits_reached (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(3);
  expect(metrics).toContain("camino_vendor_credentials_resting 0");
});

test("a fallback answers for a vendor that has reached its limit", async () => {
  expect((await ask("backed/echo")).status).toBe(200);
  const { status, id } = await ask("backed/echo");
  expect(status).toBe(200);
  await scene.ended(id);
  const { attempts } = await admin.read(ReceiptDetail, `GET /requests/${id}`);
  expect(attempts.map(({ vendor, passed_over }) => ({ vendor, passed_over }))).toEqual([
    { vendor: "acme", passed_over: ["backed echo: its limit of rpm is reached"] },
  ]);
});

test("two gateways know of each other's spending within seconds, and a third that starts later knows it at once", async () => {
  const options = {
    vendors: { spent: { limits: { spend: "1/day", rpm: 4 } } },
    models: { "spent/echo": { upstream_model: "echo@case=shared", cost: COST } },
    env: { CAMINO_SECRET: "a secret that all have, of no value", CAMINO_ADMIN_TOKEN: "admin-token-of-all" },
    database: await freshDatabase(),
  };
  await using one = await startScene(options);
  await using two = await startScene(options);
  const payer = await one.newKey({ credit: "1000" });
  expect((await one.call(chat, payer, "spent/echo", { cap: 20 })).status).toBe(200);
  const seen = await eventually("the other gateway's limit", async () => {
    const { limits } = await two.gateway.admin<Static<typeof Vendor>>("GET", "/vendors/spent");
    return limits[0] !== undefined && limits[0].used > 1_000_000 && limits[1]?.share === 2 ? limits : null;
  });
  expect(seen).toHaveLength(2);
  expect((await two.call(chat, payer, "spent/echo", { cap: 20 })).status).toBe(503);
  await using three = await startScene(options);
  expect((await three.call(chat, payer, "spent/echo", { cap: 20 })).status).toBe(503);
}, 60_000);
