import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { AccountBudget, ModelLimitUses } from "../../../contract/budgets.ts";
import type { CreatedKey, Key } from "../../../contract/keys.ts";
import { runHere } from "../../support/camino.ts";
import type { Gateway } from "../../support/gateway.ts";
import { type Person, startTeam } from "../../support/people.ts";

/** Limits by model and an account's own days, as callers, people and the command line see them (docs/rulings.md 177, 179). */

setDefaultTimeout(60_000);

let gateway: Gateway;
let owner: Person;
let account: string;

beforeAll(async () => {
  ({ gateway, account, owner } = await startTeam({ owner: "owner@limits.example", credit: "25", others: [] }));
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

async function makeKey(fields: object): Promise<CreatedKey> {
  return (await owner.browser.call<CreatedKey>("POST /keys", { account, ...fields })).body;
}

async function ask({ key }: Pick<CreatedKey, "key">, model: string) {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }),
  });
  const body = (await answer.json()) as { error?: { code: string; message: string } };
  const left = answer.headers.get("x-ratelimit-remaining-requests");
  return { status: answer.status, error: body.error, left, retry: answer.headers.get("retry-after") };
}

const admin = (...words: string[]) =>
  runHere(words, { cwd: gateway.data, env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data } });

test("a rate of some models refuses them alone, whatever name they are called by", async () => {
  const key = await makeKey({
    aliases: [{ name: "mine", model: "sim/echo" }],
    model_limits: [{ models: "sim/echo", rpm: 2 }],
  });
  expect(await ask(key, "sim/echo")).toMatchObject({ status: 200, left: "1" });
  expect((await ask(key, "mine")).status).toBe(200);
  const refused = await ask(key, "sim/echo");
  expect(refused).toMatchObject({ status: 429, error: { code: "rate_limit_exceeded" }, left: "0" });
  expect(refused.error?.message).toMatch(
    /^This key's limit of 2 requests per minute for sim\/echo is reached\. Retry in \d+ s\.$/,
  );
  expect(Number(refused.retry)).toBeGreaterThan(0);
  // Another model of the key has room, also after the refusal.
  expect((await ask(key, "sim/mini")).status).not.toBe(429);
});

test("a budget of some models says whose it is, how much is left, and when it renews in the account's zone", async () => {
  const edited = await admin(
    "account",
    "edit",
    account,
    "--time-zone",
    "Europe/Berlin",
    "--model-limit",
    "*:budget=0.000001/day",
  );
  expect(edited.stdout).toContain("Europe/Berlin");
  const key = await makeKey({});
  const { status, error } = await ask(key, "sim/echo");
  expect([status, error?.code]).toEqual([402, "insufficient_balance"]);
  expect(error?.message).toMatch(
    /^This account's budget for the day for \* has 0\.000001 USD of 0\.000001 USD left; this call needs .* It renews at \d{4}-\d{2}-\d{2}T00:00:00\+0[12]:00 \(Europe\/Berlin\), in \d+ h\.$/,
  );
  expect((await admin("account", "edit", account, "--clear", "model-limits")).stdout).not.toContain("limit by model");
  expect((await ask(key, "sim/echo")).status).toBe(200);
});

test("the command line sets, shows and clears them, with their use", async () => {
  const key = await makeKey({});
  const limits = ["--model-limit", "sim/*:rpm=60,budget=5/day", "--model-limit", "*-mini:concurrent=4"];
  await admin("key", "edit", key.id, ...limits);
  expect((await ask(key, "sim/echo")).status).toBe(200);
  const { stdout } = await admin("key", "show", key.id);
  expect(stdout).toMatch(
    /limit by model +sim\/\*: 60 requests per minute, 5\.00 a day \(.* of 5\.00 a day, .*\(Europe\/Berlin\)\)/,
  );
  expect(stdout).toMatch(/limit by model +\*-mini: 4 concurrent requests/);
  const { body } = await owner.browser.call<ModelLimitUses>(`GET /keys/${key.id}/model-limits`);
  expect(body.data.map(({ models, use }) => [models, (use?.spent_micro ?? 0) > 0])).toEqual([
    ["sim/*", true],
    ["*-mini", false],
  ]);
  await admin("key", "edit", key.id, "--clear", "model-limits");
  expect((await owner.browser.call<Key>(`GET /keys/${key.id}`)).body).not.toHaveProperty("model_limits");
});

test("a time zone that nobody knows is refused by its name", async () => {
  const { stderr, status } = await admin("account", "edit", account, "--time-zone", "Mars/Olympus");
  expect([status, stderr]).toEqual([1, expect.stringContaining("no time zone")]);
  const { body } = await owner.browser.call<AccountBudget>(`GET /accounts/${account}/budget`);
  expect(body.use).toBeNull();
});

test("a limit of the gateway counts for each account apart, and is shown beside the account's own", async () => {
  const set = (models: object) => admin("config", "set", "limits", "default", JSON.stringify({ models }), "--yes");
  expect(await set({ "sim/*": { rpm: 1, budget: "5/day" } })).toMatchObject({ status: 0 });
  await admin("account", "edit", account, "--model-limit", "*:rpm=50");
  const key = await makeKey({});
  expect(await ask(key, "sim/echo")).toMatchObject({ status: 200, left: "0" });
  const refused = await ask(await makeKey({}), "sim/echo");
  expect([refused.status, refused.error?.message]).toEqual([
    429,
    expect.stringMatching(/^This gateway's limit of 1 request per minute for sim\/\* is reached\. Retry in \d+ s\.$/),
  ]);
  expect((await ask(await gateway.newKey(), "sim/echo")).status).toBe(200);
  const { body } = await owner.browser.call<ModelLimitUses>(`GET /accounts/${account}/model-limits`);
  expect(body.data.map(({ holder, models, rpm, use }) => [holder, models, rpm, (use?.spent_micro ?? 0) > 0])).toEqual([
    ["account", "*", 50, false],
    ["gateway", "sim/*", 1, true],
  ]);
  const { stdout } = await admin("account", "show", account);
  expect(stdout).toMatch(/\nlimit by model +\*: 50 requests per minute\n/);
  expect(stdout).toMatch(
    /\ngateway's limit by model +sim\/\*: 1 requests per minute, 5\.00 a day \(.* left, renews at .*\)/,
  );
  // A reload takes effect with the next request.
  expect(await set({ "sim/*": { budget: "0.000001/day" } })).toMatchObject({ status: 0 });
  const { status, error } = await ask(await gateway.newKey(), "sim/echo");
  expect([status, error?.message]).toEqual([
    402,
    expect.stringContaining("This gateway's budget for the day for sim/*"),
  ]);
  const { stderr, status: code } = await admin("config", "set", "limits", "default", '{"models":{"a b":{"rpm":1}}}');
  expect([code, stderr]).toEqual([1, expect.stringContaining("a model id in which * stands for any text")]);
});
