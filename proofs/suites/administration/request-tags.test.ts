import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { generateText } from "ai";
import OpenAI from "openai";
import type { CreatedKey } from "../../../contract/keys.ts";
import type { Receipt, ReceiptList } from "../../../contract/requests.ts";
import type { TagNames } from "../../../contract/tags.ts";
import type { UsageExploration, UsageReport } from "../../../contract/usage.ts";
import { runHere } from "../../support/camino.ts";
import type { Gateway } from "../../support/gateway.ts";
import { type Person, startTeam } from "../../support/people.ts";

/** Tags that requests carry themselves, from a client's call to reports of people and the command line (docs/design/tags-and-projects.md). */

setDefaultTimeout(60_000);

let gateway: Gateway;
let member: Person;
let account: string;
let key: CreatedKey;

beforeAll(async () => {
  ({ gateway, account, owner: member } = await startTeam({ owner: "member@request-tags.example", credit: "25" }));
  const fields = { account, name: "app", tags: { team: "brand" } };
  key = (await member.browser.call<CreatedKey>("POST /keys", fields)).body;
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

interface Asked {
  readonly header?: string;
  readonly path?: string;
  readonly body?: object;
}

async function ask({ header, path = "/v1/chat/completions", body = {} }: Asked): Promise<Response> {
  const content = path === "/v1/responses" ? { input: "Hello!" } : { messages: [{ role: "user", content: "Hello!" }] };
  const answer = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.key}`,
      "anthropic-version": "2023-06-01",
      ...(header !== undefined && { "x-camino-tags": header }),
    },
    body: JSON.stringify({ model: "sim/echo", ...content, ...body }),
  });
  return answer;
}

async function receiptOf(asked: Asked): Promise<Receipt> {
  const answer = await ask(asked);
  expect([answer.status, answer.status === 200 ? "" : await answer.text()]).toEqual([200, ""]);
  await answer.body?.cancel();
  expect(answer.status).toBe(200);
  const id = answer.headers.get("x-camino-request-id");
  const found = await fetch(`${gateway.url}/v1/requests/${id}`, { headers: { authorization: `Bearer ${key.key}` } });
  return (await found.json()) as Receipt;
}

const rows = async (query: string): Promise<Record<string, number>> => {
  const { body } = await member.browser.call<UsageReport>(`GET /usage?${query}&account=${account}`);
  return Object.fromEntries(body.data.map(({ group, request_count }) => [group, request_count]));
};

test("a request's header and metadata bring tags on every endpoint, and reports, lists and files know them", async () => {
  const header = await receiptOf({ header: "team=search,note=K%C3%B6ln%2C%20R%26D" });
  expect(header.tags).toEqual({ team: "search", note: "Köln, R&D" });
  expect((await receiptOf({})).tags).toEqual({});
  const metadata = { "camino.team": "ads", "camino.run": "7", user: "42", Any: "thing" };
  expect((await receiptOf({ body: { metadata, store: true } })).tags).toEqual({ team: "ads", run: "7" });
  const responses = { path: "/v1/responses", body: { metadata }, header: "team=search" };
  expect((await receiptOf(responses)).tags).toEqual({ team: "search", run: "7" });
  const messages = { path: "/v1/messages", body: { max_tokens: 50 }, header: "team=search" };
  expect((await receiptOf(messages)).tags).toEqual({ team: "search" });
  // Read by another thread.
  const large = { metadata, store: true, messages: [{ role: "user", content: "x ".repeat(400_000) }] };
  expect((await receiptOf({ body: large })).tags).toEqual({ team: "ads", run: "7" });

  expect(await rows("by=tag&tag=team")).toEqual({ search: 3, ads: 2, brand: 1 });
  expect(await rows("by=tag&tag=run")).toEqual({ "": 3, "7": 3 });
  expect(await rows("by=key&tag=team&value=search")).toEqual({ [key.id]: 3 });
  expect(await rows("by=model&tag=run&value=")).toEqual({ "sim/echo": 3 });
  const explored = await member.browser.call<UsageExploration>(
    `GET /usage/explore?by=day&tag=team&value=ads&account=${account}`,
  );
  expect(explored.body).toMatchObject({ tag: "team", value: "ads", total: { request_count: 2 } });
  const names = await member.browser.call<TagNames>(`GET /tags?account=${account}`);
  expect(names.body.data.map(({ name, key_count }) => [name, key_count])).toEqual([
    ["note", 0],
    ["run", 0],
    ["team", 1],
  ]);
  const listed = await member.browser.call<ReceiptList>(`GET /requests?tag=note%3DK%C3%B6ln%2C%20R%26D`);
  expect(listed.body.data.map(({ id }) => id)).toEqual([header.id]);
  const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
  const camino = (...args: string[]) => runHere(args, { cwd: gateway.data, env });
  const printed = await camino("usage", "--account", account, "--tag", "team", "--value", "ads");
  expect(printed.stdout).toMatch(/total\s+2\s/);
  const found = await camino("request", "list", "--account", account, "--tag", "team=search");
  expect(found.stdout.match(/req_/g)).toHaveLength(3);
});

test("tags that are not allowed are a 400 that says what is, and nothing is charged", async () => {
  const before = await rows("by=tag&tag=team");
  const refused: readonly [Asked, string][] = [
    [{ header: "Team=x" }, 'has "Team=x", but the name of a tag has 1 to 40 characters'],
    [{ header: "team" }, "allowed: NAME=VALUE"],
    [{ body: { metadata: { "camino.team": 7 } } }, '"camino.team": 7; allowed: a text'],
  ];
  for (const [asked, says] of refused) {
    const answer = await ask(asked);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).toContain(says);
  }
  expect((await rows("by=tag&tag=team")).search).toBe(before.search ?? 0);
  for (const query of ["by=key&tag=team", "value=x", "by=tag"]) {
    const { status } = await member.browser.call(`GET /usage?${query}&account=${account}`);
    expect(status).toBe(400);
  }
});

/** How docs/clients.md has each client set the header, with the clients themselves. */
test("official clients send tags by the settings that the documents name", async () => {
  const headers = { "x-camino-tags": "sdk=yes,run=a%2Cb" };
  const asked = { model: "sim/echo", max_tokens: 50, messages: [{ role: "user" as const, content: "Hello!" }] };
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, defaultHeaders: headers });
  await openai.chat.completions.create(asked);
  const plain = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key });
  await plain.responses.create({ model: "sim/echo", input: "Hello!" }, { headers });
  await plain.responses.create({ model: "sim/echo", input: "Hello!" });
  const anthropic = new Anthropic({ baseURL: gateway.url, authToken: key.key, apiKey: null, defaultHeaders: headers });
  await anthropic.messages.create(asked);
  const provider = createOpenAICompatible({ name: "camino", baseURL: `${gateway.url}/v1`, apiKey: key.key, headers });
  await generateText({ model: provider("sim/echo"), prompt: "Hello!" });
  expect(await rows("by=model&tag=sdk&value=yes")).toEqual({ "sim/echo": 4 });
  expect(await rows("by=tag&tag=run&value=a%2Cb")).toEqual({ "a,b": 4 });
});
