import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { sealOf } from "../../../simulator/seal.ts";
import { issued } from "../../../src/protocols/shared/issuer.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/**
 * Requests of Codex and Claude Code, on a model of every vendor protocol: many tools, hints to cache, a conversation
 * with sealed reasoning. Each request is answered, streamed, and goes on with the results of the called tools.
 */

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

function fixture(path: string): string {
  return readFileSync(join(import.meta.dir, "../../fixtures", path), "utf8");
}

type ResponseInput = OpenAI.Responses.ResponseInput;
type CodexRequest = Omit<OpenAI.Responses.ResponseCreateParamsStreaming, "input"> & { readonly input: ResponseInput };

/** A request of Codex with reasoning that the simulator has sealed and an inline image: some vendors take no URLs. */
function codexRequest(): string {
  return fixture("responses/codex-request.json")
    .replace("gAAAAABfixtureSealedByItsMaker==", sealOf("**Looking at the tests**"))
    .replace("https://tides.example/lisbon.png", "data:image/png;base64,iVBORw0KGgo=");
}

const SEAL = "c2ltdWxhdGVkIHNlYWwgw7/Dvj9+IHh3ZjlrMnowNDJveA==";

/** A request of Claude Code with thinking that the vendor of messages has signed, which clients know by its name (docs/rulings.md 192). */
function claudeCodeRequest(vendor: string): string {
  const request = fixture("messages/claude-code-request.json");
  return vendor === "messages" ? request.replace(SEAL, issued(vendor, { form: "signature", data: SEAL })) : request;
}

const vendorSaw = () => JSON.stringify(five.simulator.log.last?.body);

describe.each(PROTOCOLS)("on %s", (vendor) => {
  test("Claude Code is answered, and goes on", async () => {
    const anthropic = new Anthropic({
      authToken: five.key,
      baseURL: five.gateway.url,
      maxRetries: 0,
      defaultHeaders: {
        "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14",
        "user-agent": "claude-cli/2.1.0 (external, cli)",
        "x-app": "cli",
      },
    });
    const request = {
      ...(JSON.parse(claudeCodeRequest(vendor)) as Anthropic.MessageStreamParams),
      model: `${vendor}/agent`,
    };
    const ask = (messages: Anthropic.MessageParam[]) =>
      anthropic.messages.stream({ ...request, messages }, { query: { beta: "true" } }).finalMessage();

    const first = await ask(request.messages);
    expect(first.stop_reason).toBe("tool_use");
    expect(first.content.map(({ type }) => type).slice(0, 2)).toEqual(["thinking", "text"]);
    const calls = first.content.filter((block) => block.type === "tool_use");
    const declared = request.tools?.map((tool) => ("name" in tool ? tool.name : "")) ?? [];
    expect(calls.length).toBeGreaterThan(0);
    for (const { name } of calls) expect(declared).toContain(name);
    // Every tool and the whole conversation have reached the vendor.
    for (const told of [...declared, "expected 12, got 13", "Never commit unasked."])
      expect(vendorSaw()).toContain(told);

    const results = calls.map(({ id }, index) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: `result ${index}, done`,
    }));
    // The simulator refuses thinking that differs by a byte from the thinking that it gave.
    const second = await ask([
      ...request.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [...results, { type: "text", text: "<system-reminder>Go on.</system-reminder>" }] },
    ]);
    expect(second.stop_reason).toBe("end_turn");
    expect(second.content[0]?.type).toBe("thinking");
    expect(vendorSaw()).toContain("result 0, done");
    expect(second.usage.output_tokens).toBeGreaterThan(0);
  });

  test.each([
    ["from its beginning", 3],
    ["in the middle of another's", Number.POSITIVE_INFINITY],
  ])("Codex is answered, and goes on: a conversation %s", async (_where, items) => {
    const openai = new OpenAI({
      apiKey: five.key,
      baseURL: `${five.gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { originator: "codex_cli_rs", session_id: "0199c1a2-7d5e-7c31-9b52-5b1f0c8e6a10" },
    });
    const request: CodexRequest = { ...(JSON.parse(codexRequest()) as CodexRequest), model: `${vendor}/agent` };
    const ask = (input: ResponseInput) => openai.responses.stream({ ...request, input }).finalResponse();
    const begun = request.input.slice(0, items);

    const first = await ask(begun);
    expect(first.status).toBe("completed");
    const types = first.output.map(({ type }) => type);
    // These vendors do not think again before the results of calls that came without their signed thinking.
    const thinks = items === 3 || !["messages", "bedrock-converse"].includes(vendor);
    expect(types.slice(0, 2)).toEqual(thinks ? ["reasoning", "message"] : ["message", "function_call"]);
    expect(types).toContain("function_call");
    expect(types).toContain("custom_tool_call");
    for (const told of ["exec_command", "update_plan", "apply_patch", "lookup", "Fix the failing test"])
      expect(vendorSaw()).toContain(told);

    const results = first.output.flatMap((item): ResponseInput => {
      if (item.type === "function_call")
        return [{ type: "function_call_output", call_id: item.call_id, output: "result, done" }];
      if (item.type !== "custom_tool_call") return [];
      return [{ type: "custom_tool_call_output", call_id: item.call_id, output: "patched, done" }];
    });
    // What the client adds for its program's eyes is refused by vendors, and Codex does not send it.
    const said_before = first.output.map((item) => ({ ...item, parsed_arguments: undefined }));
    // The simulator refuses reasoning that it has not sealed.
    const second = await ask([...begun, ...(said_before as ResponseInput), ...results]);
    expect(second.status).toBe("completed");
    const said = second.output.map(({ type }) => type);
    expect(said.slice(0, 2)).toEqual(thinks ? ["reasoning", "message"] : ["message"]);
    expect(said).not.toContain("function_call");
    expect(vendorSaw()).toContain("patched, done");
    expect(second.usage?.output_tokens).toBeGreaterThan(0);
  });
});
