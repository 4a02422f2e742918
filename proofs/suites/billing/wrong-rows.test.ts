import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { $ } from "bun";
import { Caller, GENERATION } from "../../support/calls.ts";
import { caminoCommand } from "../../support/camino-command.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { endedReceipt, type Receipt } from "../../support/receipts.ts";
import { type Json, type ScriptedVendor, startScriptedVendor, TELLERS } from "../../support/told-by-vendor.ts";

/** A row that its vendor's usage contradicts is found out, on every node and for good (docs/rulings.md 171). */

const ROWS = { plain: {}, reasons: {}, writes: {}, long: { max_completion_tokens: 8 }, right: {} };
const USAGES: Readonly<Record<Exclude<keyof typeof ROWS, "plain">, Json>> = {
  reasons: { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } },
  writes: {
    ...{ prompt_tokens: 10, completion_tokens: 5 },
    prompt_tokens_details: { cache_write_tokens: 4, cache_write_tokens_details: { ttl_12h_tokens: 4 } },
  },
  long: { prompt_tokens: 10, completion_tokens: 500 },
  right: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 2 } },
};
const WRONG = ["reasons", "writes", "long"] as const;
const SHARED = {
  CAMINO_SECRET: "a secret that both have, of no value",
  CAMINO_ADMIN_TOKEN: "admin-token-of-both-nodes",
};

let vendor: ScriptedVendor;
beforeAll(() => {
  vendor = startScriptedVendor();
});
afterAll(() => vendor[Symbol.asyncDispose]());

function configuration(more: object = {}): string {
  const price = { input: "1", output: "4" };
  const row = { max_completion_tokens: 64_000, price, capabilities: { thinking: false }, ...more };
  return JSON.stringify({
    catalog: "none",
    vendors: { chat: { protocol: "chat-completions", base_url: vendor.baseUrl("chat-completions"), api_key: "k" } },
    models: Object.fromEntries(Object.entries(ROWS).map(([name, said]) => [`chat/${name}`, { ...row, ...said }])),
  });
}

/** A streamed call; its receipt shows how much was held. */
async function call(gateway: Gateway, key: string, name: string, usage: Json): Promise<Receipt> {
  vendor.answer(TELLERS["chat-completions"].streamed({ text: "Hello", reports: [usage] }), { done: true });
  const body = { ...GENERATION.chat.body(`chat/${name}`), stream: true };
  const answer = await new Caller(gateway, key).post("/v1/chat/completions", body);
  return await endedReceipt(gateway, key, answer.headers.get("x-camino-request-id") ?? "");
}

/** Whether a model's hold covers its maximum at once, as that of one whose output nobody sees. */
async function isHidden(gateway: Gateway, key: string, name: string): Promise<boolean> {
  const { hold_micro } = await call(gateway, key, name, USAGES.right);
  return hold_micro > 64_000 * 4;
}

async function hidden(gateway: Gateway, key: string, name: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await isHidden(gateway, key, name)) return true;
    await Bun.sleep(100);
  }
  return false;
}

async function incidents(args: readonly string[]): Promise<string[]> {
  const listed = await $`${caminoCommand()} incident list --json ${args}`.env({ PATH: process.env.PATH ?? "" }).json();
  return (listed as { incidents: { kind: string; detail: string }[] }).incidents.map(
    ({ kind, detail }) => `${kind} ${detail}`,
  );
}

describe("one gateway on SQLite", () => {
  test("finds each kind of wrong row once, counts its model as hidden, keeps that, and forgets it when the row changes", async () => {
    await using gateway = await startGateway({ config: configuration() });
    const { key } = await gateway.newKey({ credit: "1000" });
    for (const name of ["reasons", "writes", "right"] as const) expect(await isHidden(gateway, key, name)).toBe(false);
    for (const name of [...WRONG, ...WRONG]) await call(gateway, key, name, USAGES[name]);
    for (const name of ["reasons", "writes"]) expect(await isHidden(gateway, key, name)).toBe(true);
    expect(await isHidden(gateway, key, "right")).toBe(false);
    const told = await incidents(["--data", gateway.data]);
    expect(told.map((text) => text.replace(/[0-9a-f]{12}/, "HASH").slice(0, 60)).sort()).toEqual([
      expect.stringContaining("wrong_row chat/long (row HASH): it says max_completion_token"),
      expect.stringContaining("wrong_row chat/reasons (row HASH): it says thinking: false"),
      expect.stringContaining("wrong_row chat/writes (row HASH): it has no price for cache"),
    ]);
    expect(await gateway.admin<Json>("GET", "/health")).toMatchObject({ ledger: { open_incidents: 3 } });

    await gateway.stop();
    await using again = await startGateway({ config: configuration(), data: gateway.data });
    expect(await isHidden(again, key, "reasons")).toBe(true);
    expect(await isHidden(again, key, "right")).toBe(false);
    await again.stop();
    const mended = configuration({ context_length: 100_000 });
    await using changed = await startGateway({ config: mended, data: gateway.data });
    expect(await isHidden(changed, key, "reasons")).toBe(false);
  }, 120_000);
});

test("two gateways on PostgreSQL: what one finds, the other holds for", async () => {
  const database = await freshDatabase();
  const options = { config: configuration(), env: SHARED, database };
  await using first = await startGateway(options);
  await using second = await startGateway(options);
  const { key } = await first.newKey({ credit: "1000" });
  expect(await isHidden(second, key, "reasons")).toBe(false);
  await call(first, key, "reasons", USAGES.reasons);
  await call(second, key, "reasons", USAGES.reasons);
  expect(await hidden(first, key, "reasons")).toBe(true);
  expect(await hidden(second, key, "reasons")).toBe(true);
  expect(await isHidden(second, key, "right")).toBe(false);
  expect(await incidents(["--database", database])).toEqual([expect.stringMatching(/^wrong_row chat\/reasons \(row/)]);
}, 120_000);
