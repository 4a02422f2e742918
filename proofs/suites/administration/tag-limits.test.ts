import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedKey } from "../../../contract/keys.ts";
import type { Project } from "../../../contract/projects.ts";
import type { TagLimitsOfAccount, TagValue, TagValueList } from "../../../contract/tag-limits.ts";
import { runHere } from "../../support/camino.ts";
import type { Gateway } from "../../support/gateway.ts";
import { type Person, startTeam } from "../../support/people.ts";

/** Limits by tag, as callers, people and the command line see them (docs/rulings.md 176). */

setDefaultTimeout(60_000);

let gateway: Gateway;
let owner: Person;
let account: string;

beforeAll(async () => {
  ({ gateway, account, owner } = await startTeam({ owner: "owner@tags.example", credit: "25", others: [] }));
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const admin = (...words: string[]) =>
  runHere(words, { cwd: gateway.data, env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data } });

async function limitAccount(...words: string[]): Promise<void> {
  expect(await admin("account", "edit", account, ...words)).toMatchObject({ status: 0, stderr: "" });
}

async function makeKey(fields: object = {}): Promise<CreatedKey> {
  return (await owner.browser.call<CreatedKey>("POST /keys", { account, ...fields })).body;
}

const CHAT = { model: "sim/echo", messages: [{ role: "user", content: "Hello!" }] };

interface Sent {
  readonly path?: string;
  readonly tags?: string;
  readonly body?: object;
}

async function ask({ key }: Pick<CreatedKey, "key">, { path = "chat/completions", tags, body = CHAT }: Sent) {
  const answer = await fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(path === "messages" && { "anthropic-version": "2023-06-01" }),
      ...(tags !== undefined && { "x-camino-tags": tags }),
    },
    body: JSON.stringify(body),
  });
  const { error } = (await answer.json()) as { error?: { code?: string; message: string; param?: string } };
  return { status: answer.status, error, left: answer.headers.get("x-ratelimit-remaining-requests") };
}

async function valuesOf(query = "", tag = "customer"): Promise<TagValueList> {
  return (await owner.browser.call<TagValueList>(`GET /accounts/${account}/tags/${tag}/values${query}`)).body;
}

test("each customer has a rate and a budget apart, and the refusal names whose is reached", async () => {
  await limitAccount("--tag-limit", "customer=5/day,rpm=2");
  const key = await makeKey();
  for (const left of ["1", "0"]) expect(await ask(key, { tags: "customer=acme" })).toMatchObject({ status: 200, left });
  const refused = await ask(key, { tags: "customer=acme" });
  expect(refused).toMatchObject({ status: 429, error: { code: "rate_limit_exceeded" } });
  expect(refused.error?.message).toContain(
    "This account's limit of 2 requests per minute for customer=acme is reached.",
  );
  expect((await ask(key, { tags: "customer=globex" })).status).toBe(200);
  // Without the tag nothing of it is judged.
  for (let sent = 0; sent < 3; sent += 1) expect((await ask(key, {})).status).toBe(200);

  await limitAccount("--tag-limit", "customer=0.000001/day");
  const { status, error } = await ask(key, { tags: "customer=initech" });
  expect([status, error?.code]).toEqual([402, "insufficient_balance"]);
  expect(error?.message).toMatch(
    /^This account's budget for the day for customer=initech has 0\.000001 USD of 0\.000001 USD left; .* It renews at .*\(UTC\), in \d+ h\.$/,
  );
});

test("a value comes from the header, the metadata, the key's tags or the end user, in this order", async () => {
  await limitAccount("--tag-limit", "customer=concurrent=50", "--end-user-tag", "customer");
  const tagged = await makeKey({ tags: { customer: "of-key" } });
  const plain = await makeKey();
  const long = "user_".padEnd(180, "x");
  const messageOf = (user_id: string): Sent => ({
    path: "messages",
    body: { ...CHAT, max_tokens: 50, metadata: { user_id } },
  });
  const metadata = { "camino.customer": "of-metadata" };
  const sent: readonly (readonly [CreatedKey, Sent, string])[] = [
    [tagged, { tags: "customer=of-header", body: { ...CHAT, store: true, metadata, user: "u" } }, "of-header"],
    [tagged, { body: { ...CHAT, store: true, metadata, user: "u" } }, "of-metadata"],
    [tagged, { body: { ...CHAT, user: "u" } }, "of-key"],
    [plain, { body: { ...CHAT, user: "of-user" } }, "of-user"],
    [plain, { body: { ...CHAT, user: "u", safety_identifier: "of-identifier" } }, "of-identifier"],
    [
      plain,
      { path: "responses", body: { model: "sim/echo", input: "Hi", safety_identifier: "of-response" } },
      "of-response",
    ],
    [plain, messageOf("of-message"), "of-message"],
    [plain, { body: { ...CHAT, user: "large", messages: [{ role: "user", content: "x".repeat(600_000) }] } }, "large"],
  ];
  for (const [key, asked, value] of sent) {
    expect(await ask(key, asked)).toMatchObject({ status: 200 });
    expect((await valuesOf(`?value=${value}`)).data[0]?.last_used_at).not.toBeNull();
  }
  // An id that is too long for a value is shown shortened, and counts apart from others that begin alike.
  for (const end of ["1", "2", "1"]) expect((await ask(plain, messageOf(long + end))).status).toBe(200);
  const { data } = await valuesOf("?prefix=user_");
  expect(data.map(({ value }) => value)).toEqual(Array(2).fill(expect.stringMatching(/^user_x{35}…[0-9a-f]{32}$/)));
  await limitAccount("--clear", "end-user-tag");
});

test("a required tag is a 400 that names it", async () => {
  await limitAccount("--tag-limit", "customer=required");
  const key = await makeKey();
  const refused = await ask(key, {});
  expect(refused).toMatchObject({ status: 400, error: { code: "missing_tag", param: "customer" } });
  expect(refused.error?.message).toContain("x-camino-tags: customer=VALUE");
  expect((await ask(key, { tags: "customer=acme" })).status).toBe(200);
  expect((await ask(await makeKey({ tags: { customer: "acme" } }), {})).status).toBe(200);
});

test("a single customer has limits of its own, which the command line sets, shows and takes away", async () => {
  await limitAccount("--tag-limit", "customer=0.000001/day");
  const key = await makeKey();
  expect((await ask(key, { tags: "customer=big" })).status).toBe(402);
  await limitAccount("--tag-value", "customer:big=500/day", "--tag-value", "customer:a=b=rpm=7");
  expect((await ask(key, { tags: "customer=big" })).status).toBe(200);
  const { stdout } = await admin("tag", "show", account, "customer");
  expect(stdout).toMatch(/^customer=0\.000001\/day: \d+ values\n/);
  expect(stdout).toMatch(/\nbig +\d\.\d+ USD +499\.\d+ USD +0 +500\.00\/day +\S+T00:00:00/);
  expect((await admin("tag", "show", account, "customer", "big")).stdout).toMatch(/own +budget/);
  expect((await admin("tag", "show", account, "customer", "a=b")).stdout).toMatch(/limits +0\.000001\/day, rpm=7/);
  await limitAccount("--tag-value", "customer:big=none");
  expect((await ask(key, { tags: "customer=big" })).status).toBe(402);
  expect(await admin("account", "edit", account, "--tag-value", "nobody:x=5/day")).toMatchObject({ status: 1 });
  expect((await admin("tag", "show", account, "nobody")).stderr).toContain("There is no limit by tag 'nobody'.");
});

test("a project's customers have budgets of the project, which who may write projects raises", async () => {
  await limitAccount("--clear", "tag-limits");
  const tag_limits = [{ tag: "customer", budget: { amount: "0.000001", window: "month" } }];
  const { body: project } = await owner.browser.call<Project>("POST /projects", { account, name: "Shop", tag_limits });
  const [inside, outside] = [await makeKey({ project: project.id }), await makeKey()];
  const refused = await ask(inside, { tags: "customer=acme" });
  expect([refused.status, refused.error?.message]).toEqual([402, expect.stringContaining("This project's budget")]);
  expect((await ask(outside, { tags: "customer=acme" })).status).toBe(200);
  const place = `/projects/${project.id}/tags/customer/values`;
  const limits = { budget: { amount: "5", window: "month" } };
  const { body } = await owner.browser.call<TagValue>(`PUT ${place}`, { value: "acme", limits });
  expect(body).toMatchObject({ value: "acme", own: ["budget"], use: { amount_micro: 5_000_000 } });
  expect((await ask(inside, { tags: "customer=acme" })).status).toBe(200);
  const { body: all } = await owner.browser.call<TagLimitsOfAccount>(`GET /accounts/${account}/tag-limits`);
  expect(all.data).toMatchObject([{ holder: project.id, project: "Shop", tag: "customer", value_count: 1 }]);
});

test("a limit of the gateway counts for each account apart, with values of the file", async () => {
  const tags = { tenant: { rpm: 1, values: { "big-corp": { rpm: 3 } } } };
  const set = await admin("config", "set", "limits", "default", JSON.stringify({ tags, end_user: "tenant" }), "--yes");
  expect(set).toMatchObject({ status: 0 });
  const key = await makeKey();
  const statuses = async (user: string, count: number) => {
    const seen: number[] = [];
    for (let sent = 0; sent < count; sent += 1) seen.push((await ask(key, { body: { ...CHAT, user } })).status);
    return seen;
  };
  expect(await statuses("small", 2)).toEqual([200, 429]);
  expect(await statuses("big-corp", 4)).toEqual([200, 200, 200, 429]);
  expect(await valuesOf("?of=gateway&value=big-corp", "tenant")).toMatchObject({
    ...{ limit: { tag: "tenant", rpm: 1 }, data: [{ value: "big-corp", rpm: 3, own: ["rpm"] }] },
  });
  expect(
    (await admin("export", "config")).stdout + (await admin("config", "show", "limits", "default")).stdout,
  ).toContain("big-corp");
  const wrong = JSON.stringify({ tags: { "Not a name": { budget: "5" } } });
  const { stderr, status } = await admin("config", "set", "limits", "default", wrong);
  expect([status, stderr]).toEqual([1, expect.stringContaining("the name of a tag")]);
  expect(stderr).toContain("AMOUNT/day");
});
