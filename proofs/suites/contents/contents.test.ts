import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Content, ContentList, ContentSwitches, DeletedContents } from "../../../contract/contents.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** What was said, where somebody switched that on (docs/rulings.md 184), with real gateways on both databases, and the official clients unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const CHAT = {
  price: { input: "1.00", output: "4.00" },
  max_completion_tokens: 4096,
  capabilities: { thinking: false, tools: true },
};
const CANARY = "canary-7e2f1";
const EMAIL = "ada.lovelace@example.com";
const CARD = "4111 1111 1111 1111";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

function configuration(content_log: object | null): string {
  const vendor = { protocol: ["chat-completions", "messages"], base_url: simulator.base_url, api_key: VENDOR_KEY };
  return JSON.stringify({
    catalog: "none",
    vendors: { acme: vendor },
    models: {
      "acme/echo": CHAT,
      "acme/fails": { ...CHAT, upstream_model: "fail-400" },
      "acme/breaks": { ...CHAT, upstream_model: "long@tokens=20&fault=cut-mid" },
      "acme/embed": { kind: "embedding", price: { input: "2.00" }, upstream_model: "embed" },
    },
    ...(content_log !== null && { content_log }),
  });
}

/** The contents of an account, once there are so many: they are written behind the answers. */
async function contentsOf(gateway: Gateway, account: string, count: number, more = ""): Promise<ContentList["data"]> {
  for (let tries = 0; ; tries += 1) {
    const { data } = await gateway.admin<ContentList>("GET", `/contents?account=${account}${more}`);
    if (data.length >= count || tries === 200) return data;
    await Bun.sleep(25);
  }
}

function show(gateway: Gateway, account: string, id: string | undefined): Promise<Content> {
  return gateway.admin("GET", `/contents/${id}?account=${account}`);
}

function switchOn(gateway: Gateway, account: string, more: object = {}): Promise<ContentSwitches> {
  return gateway.admin("PUT", "/contents/switches", { account, content_log: true, ...more });
}

function ask(
  gateway: Gateway,
  { key }: TestKey,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "acme/echo", ...body }),
  });
}

function said(content: string): { readonly messages: readonly object[] } {
  return { messages: [{ role: "user", content }] };
}

describe.each(["sqlite", "postgres"])("on %s", (kind) => {
  let gateway: Gateway;

  beforeAll(async () => {
    const database = kind === "postgres" ? { database: await freshDatabase() } : {};
    const config = configuration({ keep: "30d", most: "10MiB", mask: ["email", "card", "phone", "regex:secret-\\d+"] });
    gateway = await startGateway({ config, ...database });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test("nothing is kept until an account, a project or a key says so, and the nearest counts", async () => {
    const key = await gateway.newKey();
    await ask(gateway, key, said("first"));
    expect((await switchOn(gateway, key.account)).content_log).toBe(true);
    await ask(gateway, key, said("second"));
    await gateway.admin("PUT", "/contents/switches", { key: key.id, content_log: false });
    await ask(gateway, key, said("third"));
    await gateway.admin("PUT", "/contents/switches", { key: key.id, content_log: null });
    await ask(gateway, key, said("fourth"));
    const found = await contentsOf(gateway, key.account, 2);
    const texts = await Promise.all(found.map(({ request_id }) => show(gateway, key.account, request_id)));
    expect(texts.map(({ sent }) => JSON.parse(sent ?? "").messages[0].content)).toEqual(["fourth", "second"]);
  });

  test("a request with `x-camino-log: off` is left out", async () => {
    const key = await gateway.newKey();
    await switchOn(gateway, key.account);
    await ask(gateway, key, said("left out"), { "x-camino-log": "off" });
    await ask(gateway, key, said("kept"));
    expect(await contentsOf(gateway, key.account, 1)).toHaveLength(1);
  });

  test("what went to the vendor and what came back is masked first, whole and streamed, in every style", async () => {
    const key = await gateway.newKey();
    await switchOn(gateway, key.account);
    const text = `${CANARY}: write to ${EMAIL}, charge ${CARD}, call +49 30 1234567, know secret-42, but not 4111 1111 1111 1112`;
    const openai = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey: key.key, baseURL: gateway.url, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: text }];
    await openai.chat.completions.create({ model: "acme/echo", messages });
    for await (const _ of await openai.chat.completions.create({ model: "acme/echo", messages, stream: true }));
    await openai.responses.create({ model: "acme/echo", input: text, store: false });
    for await (const _ of await openai.responses.create({
      model: "acme/echo",
      input: text,
      store: false,
      stream: true,
    }));
    await anthropic.messages.create({ model: "acme/echo", max_tokens: 100, messages });
    await anthropic.messages.stream({ model: "acme/echo", max_tokens: 100, messages }).finalMessage();
    const found = await contentsOf(gateway, key.account, 6);
    expect(found).toHaveLength(6);
    for (const { request_id } of found) {
      const { sent, answer, left_out } = await show(gateway, key.account, request_id);
      expect(left_out).toEqual({});
      for (const side of [sent, answer]) {
        expect(side).toContain(CANARY);
        expect(side).toContain("write to [email], charge [card], call [phone], know [masked]");
        expect(side).toContain("4111 1111 1111 1112");
        expect(side).not.toContain(EMAIL);
      }
    }
  });

  test("refusals of a vendor and streams that broke off are kept with how they ended", async () => {
    const key = await gateway.newKey();
    await switchOn(gateway, key.account);
    await ask(gateway, key, { model: "acme/fails", ...said("no") });
    await (await ask(gateway, key, { model: "acme/breaks", stream: true, ...said("half") })).text().catch(() => "");
    const [broke, refused] = await contentsOf(gateway, key.account, 2);
    expect(await show(gateway, key.account, refused?.request_id)).toMatchObject({
      ...{ status: 400, answer: null, vendor: "acme", upstream_model: "fail-400" },
    });
    const half = await show(gateway, key.account, broke?.request_id);
    expect(half).toMatchObject({ status: 200, stream: true });
    expect(half.error).not.toBeNull();
  });

  test("contents are found by key, model, status, tag, end user and time, and by words where the account allows it", async () => {
    const key = await gateway.newKey({ tags: { env: "prod" } });
    await switchOn(gateway, key.account);
    await ask(gateway, key, { ...said("about apples"), user: "user-1" }, { "x-camino-tags": "team=search" });
    await ask(gateway, key, { ...said("about pears"), safety_identifier: "user-2" });
    await ask(gateway, key, { model: "acme/fails", ...said("about nothing") });
    expect(await contentsOf(gateway, key.account, 3)).toHaveLength(3);
    const counts = async (more: string) => (await contentsOf(gateway, key.account, 0, more)).length;
    expect(await counts(`&key=${key.id}`)).toBe(3);
    expect(await counts("&model=acme/fails")).toBe(1);
    expect(await counts("&status=200")).toBe(2);
    expect(await counts("&tag=team%3Dsearch")).toBe(1);
    expect(await counts("&tag=env%3Dprod")).toBe(2);
    expect(await counts("&user=user-1")).toBe(1);
    expect(await counts("&user=user-3")).toBe(0);
    expect(await counts("&to=2020-01-01")).toBe(0);
    const refused = gateway.admin("GET", `/contents?account=${key.account}&words=apples`);
    await expect(refused).rejects.toThrow("does not allow that its contents are searched for words");
    await switchOn(gateway, key.account, { words: true });
    expect(await counts("&words=ABOUT%20apples")).toBe(1);
    expect(await counts("&words=apples%20pears")).toBe(0);
  });

  test("what is kept of one end user goes at once, and what one request said", async () => {
    const key = await gateway.newKey();
    await switchOn(gateway, key.account);
    for (const user of ["user-1", "user-2", "user-1"]) await ask(gateway, key, { ...said(`by ${user}`), user });
    expect(await contentsOf(gateway, key.account, 3)).toHaveLength(3);
    const body = { account: key.account, user: "user-1" };
    expect(await gateway.admin<DeletedContents>("POST", "/contents/delete-user", body)).toEqual({ deleted: 2 });
    const [left] = await contentsOf(gateway, key.account, 1);
    const path = `/contents/${left?.request_id}?account=${key.account}`;
    expect(await gateway.admin<DeletedContents>("DELETE", path)).toEqual({ deleted: 1 });
    await expect(gateway.admin("GET", path)).rejects.toThrow("404");
  });

  test("each look is in the audit log, with who looked", async () => {
    const key = await gateway.newKey();
    await switchOn(gateway, key.account);
    await ask(gateway, key, said("seen"));
    const [entry] = await contentsOf(gateway, key.account, 1);
    await show(gateway, key.account, entry?.request_id);
    const log = await gateway.admin<{ data: { action: string; object: object; account: string; actor: object }[] }>(
      "GET",
      `/audit-log?action=content.read&account=${key.account}`,
    );
    expect(log.data).toMatchObject([
      { action: "content.read", object: { kind: "content", id: entry?.request_id }, actor: { kind: "admin-token" } },
    ]);
  });

  test("another account's contents are not to be had", async () => {
    const [mine, other] = [await gateway.newKey(), await gateway.newKey()];
    await switchOn(gateway, mine.account);
    await ask(gateway, mine, said("mine"));
    const [entry] = await contentsOf(gateway, mine.account, 1);
    await expect(show(gateway, other.account, entry?.request_id)).rejects.toThrow("404");
    await expect(gateway.admin("GET", "/contents")).rejects.toThrow("'account' is missing");
  });

  test("an export has a line of JSON for each content, over pages", async () => {
    const key = await gateway.newKey({ rpm: 10_000 });
    await switchOn(gateway, key.account);
    for (let from = 0; from < 120; from += 20) {
      const asked = Array.from({ length: 20 }, (_, index) => ask(gateway, key, said(`export ${from + index}`)));
      await Promise.all((await Promise.all(asked)).map((answer) => answer.text()));
    }
    await contentsOf(gateway, key.account, 120, "&limit=500");
    const token = readFileSync(join(gateway.data, "admin-token"), "utf8").trim();
    const answer = await fetch(`${gateway.url}/console/api/contents?account=${key.account}&format=jsonl`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = (await answer.text()).trim().split("\n");
    const texts = new Set(lines.map((line) => JSON.parse(JSON.parse(line).sent).messages[0].content));
    expect([lines.length, texts.size]).toEqual([120, 120]);
  });
});

test("nothing that was said lies open in the database's files or the log", async () => {
  await using gateway = await startGateway({ config: configuration(null) });
  const key = await gateway.newKey();
  await switchOn(gateway, key.account, { words: true });
  await ask(gateway, key, { ...said(`${CANARY} ${EMAIL}`), user: "user-canary" });
  const [entry] = await contentsOf(gateway, key.account, 1);
  expect((await show(gateway, key.account, entry?.request_id)).sent).toContain(CANARY);
  expect(gateway.log()).not.toContain(CANARY);
  expect(await gateway.stop()).toBe(0);
  for (const name of readdirSync(gateway.data, { recursive: true, encoding: "utf8" })) {
    const file = Bun.file(join(gateway.data, name));
    const text = await file.text().catch(() => "");
    expect({ name, has: text.includes(CANARY) || text.includes("user-canary") }).toEqual({ name, has: false });
  }
});

test("the oldest go where all together have more bytes than allowed, and what is older than it is kept", async () => {
  await using gateway = await startGateway({ config: configuration({ most: "20KiB" }) });
  const key = await gateway.newKey({ rpm: 10_000 });
  await switchOn(gateway, key.account);
  for (let each = 0; each < 60; each += 1) await (await ask(gateway, key, said(`number ${each}`))).text();
  await contentsOf(gateway, key.account, 60, "&limit=500");
  const bytesOf = (entries: ContentList["data"]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);
  let left = await contentsOf(gateway, key.account, 0, "&limit=500");
  for (let tries = 0; bytesOf(left) > 20 * 1024 && tries < 400; tries += 1) {
    await Bun.sleep(50);
    left = await contentsOf(gateway, key.account, 0, "&limit=500");
  }
  expect(bytesOf(left)).toBeGreaterThan(0);
  expect(bytesOf(left)).toBeLessThanOrEqual(20 * 1024);
  const [newest] = await contentsOf(gateway, key.account, 1);
  expect((await show(gateway, key.account, newest?.request_id)).sent).toContain("number 59");
}, 60_000);

test("a call goes on where its content cannot be kept, which a metric counts", async () => {
  await using gateway = await startGateway({ config: configuration(null) });
  const key = await gateway.newKey();
  await switchOn(gateway, key.account);
  const books = new Database(join(gateway.data, "camino.db"));
  books.run("CREATE TRIGGER no_contents BEFORE INSERT ON contents BEGIN SELECT raise(ABORT, 'no room'); END");
  books.close();
  const answer = await ask(gateway, key, said("goes on"));
  expect(answer.status).toBe(200);
  for (let tries = 0; tries < 200 && !gateway.log().includes("could not be kept"); tries += 1) await Bun.sleep(25);
  const metrics = await (await fetch(`${gateway.operations_url ?? gateway.url}/metrics`)).text();
  expect(metrics).toContain('camino_contents_total{result="failed"} 1');
});

test("what has been answered is kept by a gateway that is told to stop", async () => {
  await using gateway = await startGateway({ config: configuration(null) });
  const key = await gateway.newKey();
  await switchOn(gateway, key.account);
  await (await ask(gateway, key, said("the last word"))).text();
  expect(await gateway.stop()).toBe(0);
  await using again = await gateway.restart();
  const [entry] = await contentsOf(again, key.account, 1);
  expect((await show(again, key.account, entry?.request_id)).sent).toContain("the last word");
});
