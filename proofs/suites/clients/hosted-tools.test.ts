import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { type FiveVendors, PROTOCOLS, startFiveVendors, type VendorProtocol } from "./five-vendors.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

/** docs/rulings.md 190: clients that offer vendors' tools unasked work on every model, and are told what was left out. */

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

/** What the SDK's own request was answered with. */
const ignored: (string | null)[] = [];
const settings = () => ({
  baseURL: `${five.gateway.url}/v1`,
  apiKey: five.key,
  fetch: Object.assign(
    async (...asked: Parameters<typeof fetch>) => {
      const answer = await fetch(...asked);
      ignored.push(answer.headers.get("x-camino-ignored"));
      return answer;
    },
    { preconnect: fetch.preconnect },
  ),
});

const vendorSaw = () => JSON.stringify(five.simulator.log.last?.body);

describe.each(PROTOCOLS)("on a model that is reached by %s", (protocol: VendorProtocol) => {
  test("the AI SDK's `webSearch` and `codeInterpreter` are left out with what it includes for them", async () => {
    const openai = createOpenAI(settings());
    const tools = {
      web_search: openai.tools.webSearch({ searchContextSize: "low" }),
      code_interpreter: openai.tools.codeInterpreter({ container: { fileIds: [] } }),
    };
    const { text } = await generateText({ model: openai.responses(`${protocol}/echo`), prompt: "Hello!", tools });
    expect(text).toContain("Hello!");
    const names = ["tools.web_search", "tools.code_interpreter", "include.web_search_call.action.sources"];
    for (const name of names) expect(ignored.at(-1)).toContain(name);
    expect(vendorSaw()).not.toMatch(/web_search|code_interpreter/);
  });

  test("Anthropic's web search is left out", async () => {
    const anthropic = createAnthropic(settings());
    const tools = { web_search: anthropic.tools.webSearch_20250305({ maxUses: 2 }) };
    const { text } = await generateText({ model: anthropic(`${protocol}/echo`), prompt: "Hello!", tools });
    expect(text).toContain("Hello!");
    expect(ignored.at(-1)).toContain("tools.web_search_20250305");
    expect(vendorSaw()).not.toContain("web_search");
  });

  test("Cline's `openai-native` requests are answered", async () => {
    const answer = await fetch(`${five.gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${five.key}`, "content-type": "application/json" },
      // The members that it always sends.
      body: JSON.stringify({
        model: `${protocol}/tools`,
        instructions: "You are Cline.",
        input: [{ role: "user", content: [{ type: "input_text", text: "Hello!" }] }],
        ...{ stream: false, store: false, truncation: "auto", parallel_tool_calls: true },
        include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
        reasoning: { effort: "high", summary: "auto" },
        tools: [
          { type: "function", name: "read_file", parameters: { type: "object", properties: {} }, strict: false },
          { type: "web_search" },
          { type: "image_generation" },
        ],
      }),
    });
    const text = await answer.text();
    expect({ status: answer.status, text }).toMatchObject({ status: 200 });
    const told = answer.headers.get("x-camino-ignored") ?? "";
    for (const name of ["tools.web_search", "tools.image_generation", "include.web_search_call.action.sources"])
      expect(told).toContain(name);
    expect(told.includes("truncation")).toBe(protocol !== "responses");
    expect(vendorSaw()).toContain("read_file");
    expect(vendorSaw()).not.toMatch(/web_search|image_generation/);
  });
});
