import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONVERSE_RULES } from "../protocols/bedrock-converse/rules.ts";
import { CHAT_DIALECTS } from "../protocols/chat-completions/dialect-rules.ts";
import { GEMINI_2_RULES, GEMINI_RULES } from "../protocols/gemini/rules.ts";
import { CLAUDE_GENERATIONS } from "../protocols/messages/generation-rules.ts";
import { MESSAGES_RULES } from "../protocols/messages/rules.ts";
import { RESPONSES_REASONING_RULES, RESPONSES_RULES } from "../protocols/responses/rules.ts";
import { type Simulator, startSimulator } from "../server.ts";
import type { Example } from "./example.ts";
import { EXAMPLES } from "./examples.ts";
import type { Rule } from "./rule.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

interface Surface {
  readonly path: (model: string) => string;
  /** A request that every table accepts; the examples change it. */
  readonly body: (model: string) => object;
  readonly tables: Readonly<Record<string, readonly Rule[]>>;
}

const HI = { role: "user", content: "Hi" };

const SURFACES: Readonly<Record<string, Surface>> = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (model) => ({ model, messages: [HI] }),
    tables: CHAT_DIALECTS,
  },
  responses: {
    path: () => "/v1/responses",
    body: (model) => ({ model, input: "Hi" }),
    tables: { "": RESPONSES_RULES, "openai-reasoning": RESPONSES_REASONING_RULES },
  },
  messages: {
    path: () => "/v1/messages",
    body: (model) => ({ model, max_tokens: 2048, messages: [HI] }),
    tables: { "": MESSAGES_RULES, ...CLAUDE_GENERATIONS },
  },
  gemini: {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    body: () => ({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] }),
    tables: { "": GEMINI_RULES, "gemini-2.5": GEMINI_2_RULES },
  },
  bedrock: {
    path: (model) => `/model/${encodeURIComponent(model)}/converse`,
    body: () => ({ messages: [{ role: "user", content: [{ text: "Hi" }] }] }),
    tables: { "": CONVERSE_RULES },
  },
};

async function ask({ path, body }: Surface, { model = "echo", body: change }: Pick<Example, "model" | "body">) {
  const response = await fetch(simulator.url + path(model), {
    method: "POST",
    headers: { "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ ...body(model), ...change }),
  });
  return { status: response.status, text: await response.text() };
}

describe.each(Object.entries(SURFACES))("%s", (name, surface) => {
  const examples = EXAMPLES[name] ?? [];

  test("every row of its tables has an example, and every example has a row", () => {
    const rows = new Set(Object.values(surface.tables).flatMap((rules) => rules.map(({ refuses }) => refuses)));
    expect([...new Set(examples.map(({ row }) => row))].sort()).toEqual([...rows].sort());
  });

  test.each(Object.keys(surface.tables))("a plain request is accepted by the table '%s'", async (like) => {
    expect(await ask(surface, { model: `echo@like=${like}`, body: {} })).toMatchObject({ status: 200 });
  });

  test.each(examples.map((example) => [example.row, example.model ?? "echo", example] as const))(
    "%s: refused by %s, in the vendor's words",
    async (_row, _model, example) => {
      const { status, text } = await ask(surface, example);
      expect({ status, text }).toEqual({ status: example.status ?? 400, text: expect.stringContaining(example.says) });
      const { error } = JSON.parse(text) as { error?: { code?: unknown; param?: unknown } };
      if (example.code !== undefined) expect(error?.code).toBe(example.code);
      if (example.param !== undefined) expect(error?.param).toBe(example.param);
    },
  );
});
