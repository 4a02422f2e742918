import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDeps } from "../../proofs/support/console-deps.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/store/ports.ts";
import { openStore } from "../store/open-store.ts";
import type { Actor } from "./answer/actor.ts";
import type { ConsoleDeps } from "./answer/route.ts";
import { handleConsoleApi } from "./handle-console-api.ts";

/** Limits that an administrator sets are ceilings for the account's members (docs/rulings.md 151). */

const ADMIN: Actor = { kind: "admin-token" };
const configuration: Configuration = {
  currency: "USD",
  vendors: new Map(),
  models: new Map(),
  limits: { body_bytes: 1, decision_calls: 1000, default_key: { rpm: 60, concurrent: 8 } },
  responses: { keep_ms: 0 },
};

let folder: string;
let store: Store;
let deps: ConsoleDeps;
let account: string;
let member: Actor;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-limits-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: newId("node") });
  deps = testDeps(store, deriveSubKeys("a root secret for tests"), configuration, Date.now());
  ({ id: account } = await ok("POST /accounts", { email: "a@example.com", credit: "25" }, ADMIN));
  member = { kind: "user", user_id: "user_ann", role: "member", account_id: account };
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

// biome-ignore lint/suspicious/noExplicitAny: the body of any route.
type Answer = { readonly status: number; readonly body: any };

async function call(request: string, body: unknown, actor: Actor): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ");
  const target = `/console/api${path}`;
  const { status, body: answer } = await handleConsoleApi(
    { method, path: target, query: new URLSearchParams(), body },
    deps,
    actor,
  );
  return { status, body: answer };
}

async function ok(request: string, body: unknown, actor: Actor): Promise<Answer["body"]> {
  const answer = await call(request, body, actor);
  if (answer.status !== 200 && answer.status !== 201) throw new Error(JSON.stringify(answer));
  return answer.body;
}

/** A refusal by a ceiling, with the field and whose it is. */
async function expectAbove(request: string, body: unknown, param: string, says: string): Promise<void> {
  const { status, body: refused } = await call(request, body, member);
  expect([status, refused.error.code, refused.error.param]).toEqual([403, "above_ceiling", param]);
  expect(refused.error.message).toContain(says);
}

describe("a key that an administrator has limited", () => {
  let id: string;
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();

  beforeEach(async () => {
    const limits = { rpm: 30, tpm: 1000, budget: { amount: "5", window: "week" }, models: ["acme/*"], expires_at };
    ({ id } = await ok("POST /keys", { account, ...limits }, ADMIN));
  });

  test.each([
    [{ rpm: 31 }, "rpm", "'rpm' is more than 30"],
    [{ tpm: 1001 }, "tpm", "1000"],
    [{ concurrent: 9 }, "concurrent", "the gateway's configuration"],
    [{ budget: { amount: "5.000001", window: "week" } }, "budget", "a week"],
    [{ budget: { amount: "1", window: "day" } }, "budget", "a week"],
    [{ models: ["*"] }, "models", "acme/*"],
    [{ expires_at: "2199-01-01" }, "expires_at", "an administrator has set this for the key"],
  ])("a member cannot set %p", async (body, param, says) => {
    await expectAbove(`PATCH /keys/${id}`, body, param, says);
  });

  test("a member lowers them, sees whose they are, and comes back to them", async () => {
    const lowered = await ok(`PATCH /keys/${id}`, { rpm: 5, models: ["acme/swift"], budget: null }, member);
    expect(lowered).toMatchObject({ rpm: 5, models: ["acme/swift"], budget: { amount_micro: 5_000_000 } });
    expect(lowered.ceilings.rpm).toEqual({ value: 30, set_on: "key" });
    expect(await ok(`PATCH /keys/${id}`, { rpm: null, models: null, expires_at: null }, member)).toMatchObject({
      ...{ rpm: 30, models: ["acme/*"], expires_at },
    });
  });

  test("a member keeps the limits by model of an administrator, and adds others", async () => {
    const of_all = { models: "*", rpm: 3 };
    const own = { models: "acme/*", budget: { amount: "2", window: "day" } };
    await ok(`PATCH /keys/${id}`, { model_limits: [of_all] }, ADMIN);
    const added = await ok(`PATCH /keys/${id}`, { model_limits: [own] }, member);
    expect(added.model_limits).toEqual([
      { models: "*", rpm: 3, tpm: null, concurrent: null, budget: null, by_administrator: true },
      { models: "acme/*", rpm: null, tpm: null, concurrent: null, budget: { amount_micro: 2_000_000, window: "day" } },
    ]);
    await expectAbove(
      `PATCH /keys/${id}`,
      { model_limits: [{ models: "*", rpm: 4 }] },
      "model_limits[0]",
      "limited '*'",
    );
    expect((await ok(`PATCH /keys/${id}`, { model_limits: null }, member)).model_limits).toHaveLength(1);
    expect(await ok(`GET /keys/${id}/model-limits`, undefined, member)).toMatchObject({
      data: [{ models: "*", rpm: 3, in_flight: 0, use: null }],
    });
    expect(await ok(`PATCH /keys/${id}`, { model_limits: null }, ADMIN)).not.toHaveProperty("model_limits");
    const nothing = await call(`PATCH /keys/${id}`, { model_limits: [{ models: "*" }] }, ADMIN);
    expect(nothing).toMatchObject({ status: 400, body: { error: { param: "model_limits[0]" } } });
  });

  test("an administrator who writes back what was read changes no ceiling (docs/rulings.md 206)", async () => {
    const lower = { rpm: 5, models: ["acme/swift"], budget: { amount: "1", window: "week" } };
    await ok(`PATCH /keys/${id}`, lower, member);
    expect(await ok(`PATCH /keys/${id}`, { name: "renamed", ...lower, expires_at }, ADMIN)).toMatchObject({
      name: "renamed",
      rpm: 5,
    });
    const { ceilings } = await ok(`GET /keys/${id}`, undefined, ADMIN);
    expect([ceilings.rpm.value, ceilings.models.value]).toEqual([30, ["acme/*"]]);
    await ok(`PATCH /keys/${id}`, { rpm: 30, models: ["acme/*"], budget: { amount: "5", window: "week" } }, member);
  });

  test("is written back with an alias whose model has gone, and with an end that is past", async () => {
    const aliases = [{ name: "fast", model: "acme/gone" }];
    const prefix_aliases = [{ prefix: "old-", model: "acme/gone" }];
    const past_ms = Date.now() - 60_000;
    await store.accounts.updateKey(id, { aliases, prefix_aliases, expires_ms: past_ms });
    const read = { aliases, prefix_aliases, expires_at: new Date(past_ms).toISOString() };
    expect(await ok(`PATCH /keys/${id}`, { name: "again", ...read }, member)).toMatchObject({ name: "again", ...read });
    for (const change of [
      { aliases: [...aliases, { name: "other", model: "acme/gone" }] },
      { aliases: [{ name: "fast", model: "acme/none" }] },
      { expires_at: new Date(past_ms - 1000).toISOString() },
    ]) {
      expect((await call(`PATCH /keys/${id}`, change, member)).status).toBe(400);
    }
  });

  test("an administrator raises them, and takes them away", async () => {
    expect(await ok(`PATCH /keys/${id}`, { rpm: 90 }, ADMIN)).toMatchObject({ rpm: 90 });
    await ok(`PATCH /keys/${id}`, { rpm: 80 }, member);
    const free = await ok(`PATCH /keys/${id}`, { tpm: null, budget: null }, ADMIN);
    expect(free.ceilings).toMatchObject({ tpm: null, budget: null, rpm: { value: 90 } });
    await ok(`PATCH /keys/${id}`, { tpm: 1_000_000, budget: { amount: "500", window: "day" } }, member);
  });

  test("a member cannot enable it once an administrator has disabled it", async () => {
    await ok(`POST /keys/${id}/disable`, {}, member);
    await ok(`POST /keys/${id}/enable`, {}, member);
    expect(await ok(`POST /keys/${id}/disable`, {}, ADMIN)).toMatchObject({ barred: true });
    expect(await call(`POST /keys/${id}/enable`, {}, member)).toMatchObject({ status: 409 });
    expect(await ok(`POST /keys/${id}/enable`, {}, ADMIN)).toMatchObject({ barred: false, status: "active" });
  });

  test("a change by two at once never ends above the ceiling", async () => {
    const raising = call(`PATCH /keys/${id}`, { rpm: 30 }, member);
    const lowering = call(`PATCH /keys/${id}`, { rpm: 3 }, ADMIN);
    expect((await lowering).status).toBe(200);
    expect((await raising).status).toBeOneOf([200, 403, 409]);
    const { rpm, ceilings } = await ok(`GET /keys/${id}`, undefined, member);
    expect([rpm, ceilings.rpm.value]).toEqual([3, 3]);
  });
});

describe("a key of a member's own", () => {
  test("has the gateway's usual limits, or the account's where there are some", async () => {
    await expectAbove("POST /keys", { account, rpm: 61 }, "rpm", "the gateway's configuration");
    await ok(`PATCH /accounts/${account}`, { rpm: 500 }, ADMIN);
    expect(await ok("POST /keys", { account, rpm: 400 }, member)).toMatchObject({
      ...{ rpm: 400, ceilings: { rpm: { value: 500, set_on: "account" } } },
    });
    await expectAbove("POST /keys", { account, rpm: 501 }, "rpm", "for the account");
  });

  test("may be raised again by its member, as no administrator has limited it", async () => {
    const { id } = await ok("POST /keys", { account, tpm: 10 }, member);
    expect(await ok(`PATCH /keys/${id}`, { tpm: 20 }, member)).toMatchObject({ tpm: 20 });
    expect(await ok(`PATCH /keys/${id}`, { tpm: null }, member)).toMatchObject({ tpm: null });
  });
});

describe("the names of an account", () => {
  test("are changed by administrators only, and its limits stay", async () => {
    const { id } = await ok("POST /accounts", { email: "before@example.com" }, ADMIN);
    await ok(`PATCH /accounts/${id}`, { rpm: 7 }, ADMIN);
    expect((await call(`PATCH /accounts/${account}`, { name: "Mine" }, member)).status).toBe(404);
    const renamed = await ok(`PATCH /accounts/${id}`, { name: "Globex", email: "boss@globex.example" }, ADMIN);
    expect(renamed).toMatchObject({ name: "Globex", email: "boss@globex.example", limits: { rpm: 7 } });
    expect(await ok(`PATCH /accounts/${id}`, { name: "", rpm: 8 }, ADMIN)).toMatchObject({
      name: "",
      limits: { rpm: 8 },
    });
    const { email } = await ok(`GET /accounts/${account}`, undefined, ADMIN);
    expect((await call(`PATCH /accounts/${id}`, { email }, ADMIN)).status).toBe(409);
    expect((await call(`PATCH /accounts/${id}`, { email: "nobody" }, ADMIN)).status).toBe(400);
  });
});

describe("the limits of an account", () => {
  test("are set by administrators only, one by one, and seen by members", async () => {
    expect((await call(`PATCH /accounts/${account}`, { rpm: 1 }, member)).status).toBe(404);
    await ok(`PATCH /accounts/${account}`, { rpm: 100, budget: { amount: "9", window: "month" } }, ADMIN);
    await ok(`PATCH /accounts/${account}`, { rpm: null, models: ["acme/*"] }, ADMIN);
    const { limits } = await ok(`GET /accounts/${account}`, undefined, member);
    expect(limits).toEqual({
      ...{ models: ["acme/*"], rpm: null, tpm: null, concurrent: null },
      budget: { amount_micro: 9_000_000, window: "month" },
    });
    expect(await ok(`GET /accounts/${account}/budget`, undefined, member)).toMatchObject({
      use: { amount_micro: 9_000_000, spent_micro: 0, remaining_micro: 9_000_000, window: "month" },
    });
    await ok(`PATCH /accounts/${account}`, { budget: null, models: null }, ADMIN);
    expect(await ok(`GET /accounts/${account}/budget`, undefined, member)).toMatchObject({ use: null });
  });
});
