import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import type { TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/**
 * Requests of coding agents through the official client, against a running gateway: system messages amid the
 * conversation, files that a tool has read, a first message of the assistant (docs/rulings.md 160, 161, 168). The
 * vendors are as strict as real ones.
 */

const PDF = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQ=" },
} as const;
const TOOLS: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object", properties: {} } }];

let simulated: SimulatedGateway;
let key: TestKey;
let anthropic: Anthropic;

beforeAll(async () => {
  const reads = { input_modalities: ["text", "pdf"] };
  simulated = await startSimulatedGateway({
    models: {
      "acme/new": { upstream_model: "tools@mid_system=1", capabilities: { mid_system: true }, ...reads },
      "acme/old": { upstream_model: "tools@documents=0" },
      "chatty/tools": {},
      "away/gone": { fallbacks: ["acme/new", "acme/old"] },
      "away/lost": { fallbacks: ["acme/old"] },
    },
  });
  key = await simulated.gateway.newKey();
  anthropic = new Anthropic({ authToken: key.key, baseURL: simulated.gateway.url, maxRetries: 0 });
});
afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

/** A session as a coding agent sends it: reminders behind the user, one amid a loop of tools, a file that was read. */
const SESSION: Anthropic.MessageParam[] = [
  { role: "user", content: [{ type: "text", text: "Read a.pdf", cache_control: { type: "ephemeral" } }] },
  { role: "system", content: "Tools may be added later." },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "PDF file read: a.pdf" }, PDF] },
    ],
  },
  { role: "system", content: [{ type: "text", text: "200,000 tokens are left." }] },
];

function sent(): Record<string, unknown> {
  return (simulated.simulator.log.last?.body ?? {}) as Record<string, unknown>;
}

function ask(model: string, messages: Anthropic.MessageParam[]) {
  return anthropic.messages.create({ model, max_tokens: 200, tools: TOOLS, messages }).withResponse();
}

const MODELS = [
  { model: "acme/new", answers: "PDF file read: a.pdf", ignored: null },
  { model: "acme/old", answers: "A document was left out here", ignored: "messages.document" },
  { model: "chatty/tools", answers: "A document was left out here", ignored: "messages.document,cache_control" },
];

describe.each(MODELS)("a session on $model", ({ model, answers, ignored }) => {
  test("goes on, is billed, and reports the parts that were left out", async () => {
    const { data, response, request_id } = await ask(model, SESSION);
    expect(JSON.stringify(data.content)).toContain(answers);
    const named = response.headers.get("x-camino-ignored")?.split(/,\s*/) ?? null;
    expect(named?.sort() ?? null).toEqual(ignored?.split(",").sort() ?? null);
    const receipt = await endedReceipt(simulated.gateway, key.key, request_id ?? "");
    expect(receipt).toMatchObject({ status: "settled" });
  });

  test("streams", async () => {
    const stream = anthropic.messages.stream({ model, max_tokens: 200, tools: TOOLS, messages: SESSION });
    expect(JSON.stringify((await stream.finalMessage()).content)).toContain(answers);
  });

  test("has its tokens counted", async () => {
    const { input_tokens } = await anthropic.messages.countTokens({ model, tools: TOOLS, messages: SESSION });
    expect(input_tokens).toBeGreaterThan(10);
  });

  test("may begin with the assistant", async () => {
    const { data } = await ask(model, [{ role: "assistant", content: "Welcome!" }, ...SESSION]);
    expect(JSON.stringify(data.content)).toContain(answers);
  });

  test("may not begin with the system prompt", async () => {
    const error: unknown = await ask(model, SESSION.slice(1)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(String(error)).toContain("belongs in 'system'");
  });
});

test("a model that takes system messages and PDF gets the conversation as it was sent", async () => {
  await ask("acme/new", SESSION);
  expect(sent().messages).toEqual(SESSION);
});

test("each fallback gets the conversation in the form that it takes", async () => {
  await ask("away/gone", SESSION);
  expect(sent().messages).toEqual(SESSION);
  const { response } = await ask("away/lost", SESSION);
  expect(JSON.stringify(sent().messages)).toContain("<system-reminder>");
  expect(response.headers.get("x-camino-ignored")).toBe("messages.document");
});

test.each([
  ["control characters", "a\\nb", "a%0Ab"],
  ["letters beyond ASCII", "größe", "gr%C3%B6%C3%9Fe"],
])("a field whose name has %s is named percent-encoded", async (_what, field, named) => {
  const reply = await fetch(`${simulated.gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01" },
    body: `{"model":"chatty/tools","max_tokens":50,"messages":[{"role":"user","content":"Hi"}],"${field}":1}`,
  });
  expect([reply.status, reply.headers.get("x-camino-ignored")]).toEqual([200, named]);
});
