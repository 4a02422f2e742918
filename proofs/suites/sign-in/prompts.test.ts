import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AuditPage } from "../../../contract/audit.ts";
import { MOST_PROMPTS, type Prompt, type PromptList } from "../../../contract/prompts.ts";
import type { Gateway } from "../../support/gateway.ts";
import { invite, type Person, startTeam } from "../../support/people.ts";

/** Prompts of the playground: one's own, and those that others of the account share; who sees and changes which, and the bounds. */

let gateway: Gateway;
let account: string;
let owner: Person;
let member: Person;
let viewer: Person;

beforeAll(async () => {
  const team = await startTeam({ owner: "owner@team.example", others: ["member", "viewer"] });
  ({ gateway, account, owner, member, viewer } = team);
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

const CONTENT = {
  model: "sim/echo",
  style: "chat",
  system: "Be brief.",
  message: "Hello!",
  temperature: "0.2",
} as const;

async function save({ browser }: Person, more: object = {}): Promise<Prompt> {
  const body = { account, name: "Greeting", content: CONTENT, ...more };
  const { status, body: made } = await browser.call<Prompt>("POST /playground/prompts", body);
  expect(status).toBe(201);
  return made;
}

async function namesOf({ browser }: Person): Promise<string[]> {
  const { body } = await browser.call<PromptList>(`GET /playground/prompts?account=${account}`);
  return body.data.map(({ name }) => name).sort();
}

test("are their author's alone until they are shared, and then the account's", async () => {
  const made = await save(member);
  expect(made).toMatchObject({ own: true, shared: false, by: "member@team.example", content: CONTENT });
  expect(await namesOf(member)).toEqual(["Greeting"]);
  expect(await namesOf(owner)).toEqual([]);
  expect((await owner.browser.call(`DELETE /playground/prompts/${made.id}`)).status).toBe(404);

  const shared = await member.browser.call<Prompt>(`PATCH /playground/prompts/${made.id}`, {
    shared: true,
    name: "Hi",
  });
  expect(shared.body).toMatchObject({ shared: true, name: "Hi", content: CONTENT });
  const { body } = await owner.browser.call<PromptList>(`GET /playground/prompts?account=${account}`);
  expect(body.data).toMatchObject([{ id: made.id, own: false, by: "member@team.example", content: CONTENT }]);
  expect((await owner.browser.call(`PATCH /playground/prompts/${made.id}`, { name: "Mine" })).status).toBe(403);
  expect((await owner.browser.call(`DELETE /playground/prompts/${made.id}`)).status).toBe(200);
  expect(await namesOf(member)).toEqual([]);
});

test("what is changed is in the audit log, without the prompt's text", async () => {
  const { id } = await save(member, { name: "Logged" });
  await member.browser.call(`PATCH /playground/prompts/${id}`, { content: { system: "Something private." } });
  await member.browser.call(`DELETE /playground/prompts/${id}`);
  const { data } = await gateway.admin<AuditPage>("GET", `/audit-log?object=${id}`);
  expect(data.map(({ action }) => action)).toEqual(["prompt.delete", "prompt.update", "prompt.create"]);
  expect(JSON.stringify(data)).not.toContain("private");
});

describe("a role that may not use the playground", () => {
  test("neither sees nor saves prompts", async () => {
    const refused = { status: 403, body: { error: { code: "not_permitted" } } };
    expect(await viewer.browser.call(`GET /playground/prompts?account=${account}`)).toMatchObject(refused);
    expect(await viewer.browser.call("POST /playground/prompts", { account, name: "x", content: {} })).toMatchObject(
      refused,
    );
  });
});

describe("what is refused", () => {
  test.each([
    ["a name of nothing", { name: " " }, "name"],
    ["a name that is too long", { name: "n".repeat(101) }, "name"],
    ["a text that is too long", { content: { system: "s".repeat(20_001) } }, "content.system"],
    ["a field that is not there", { content: { images: "[]" } }, "content"],
    ["a style that is none", { content: { style: "poem" } }, "content.style"],
  ])("%s", async (_, more, param) => {
    const body = { account, name: "Refused", content: CONTENT, ...more };
    const { status, body: said } = await member.browser.call<{ error: { param: string } }>(
      "POST /playground/prompts",
      body,
    );
    expect({ status, param: said.error.param }).toEqual({ status: 400, param: expect.stringContaining(param) });
    expect(await namesOf(member)).not.toContain("Refused");
  });

  test("one more than a user may have, also where many are saved at once", async () => {
    const hoarder = await invite(gateway, { email: "hoarder@team.example", account, account_role: "member" });
    const before = Array.from({ length: MOST_PROMPTS - 3 }, (_, index) => `Prompt ${index}`);
    for (const name of before) await save(hoarder, { name });
    const tries = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        hoarder.browser.call("POST /playground/prompts", { account, name: `Last ${index}`, content: CONTENT }),
      ),
    );
    expect(tries.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(await namesOf(hoarder)).toHaveLength(MOST_PROMPTS);
  }, 60_000);

  test("the admin token, which is nobody's", async () => {
    const refused = gateway.admin("POST", "/playground/prompts", { account, name: "x", content: {} });
    expect(String(await refused.catch((thrown: unknown) => thrown))).toContain("403");
  });
});
