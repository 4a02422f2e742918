import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import type { VendorCodec } from "../../../src/core/answer/codec.ts";
import type { Exchange } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { bedrockConverse } from "../../../src/protocols/bedrock-converse/codec.ts";
import { chatVendorCodec } from "../../../src/protocols/chat-completions/codec.ts";
import { gemini } from "../../../src/protocols/gemini/codec.ts";
import { messages } from "../../../src/protocols/messages/client.ts";
import { messagesClientCodec, messagesVendorCodec } from "../../../src/protocols/messages/codec.ts";
import { responsesVendorCodec } from "../../../src/protocols/responses/codec.ts";
import { translateBetween } from "../../../src/protocols/translate/translate-between.ts";
import { checkMessagesStream } from "../../grammars/messages/stream-grammar.ts";
import { targetFor } from "../../support/target.ts";

/**
 * Runs the official client on a model of every vendor protocol: its requests are translated and sent to a simulated
 * vendor over real HTTP, and the client's own code reads the translated answers. Messages vendors are included, through
 * translation instead of relay.
 */

const VENDORS: readonly (readonly [Protocol, VendorCodec])[] = [
  ["chat-completions", chatVendorCodec],
  ["responses", responsesVendorCodec],
  ["messages", messagesVendorCodec],
  ["gemini", gemini],
  ["bedrock-converse", bedrockConverse],
];

const THINKING = { toggle: true, effort: ["low", "medium", "high"], budget_tokens: { min: 1024, max: 32_000 } };

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

/**
 * The official client, whose requests end at this vendor. The client's model name is the name of a simulator's model.
 */
function clientOf([protocol, codec]: readonly [Protocol, VendorCodec]): Anthropic {
  const way = translateBetween(messagesClientCodec, codec);
  return new Anthropic({
    apiKey: "cm-test",
    maxRetries: 0,
    timeout: 60_000,
    fetch: async (_url, init) => {
      const headers = new Headers(init?.headers);
      const request = messages.readRequest(String(init?.body), headers);
      const capabilities = { thinking: true, reasoning: THINKING };
      const exchange = way.prepare(
        request,
        targetFor(protocol, { upstream_model: request.model, capabilities }),
        headers,
      );
      const reply = await fetch(simulator.base_url + exchange.path, {
        method: "POST",
        headers: { "content-type": "application/json", ...exchange.headers },
        body: exchange.body,
      });
      if (!reply.ok) return new Response(await reply.text(), { status: reply.status });
      if (!request.stream) return Response.json(JSON.parse(await wholeOf(exchange, reply)));
      return new Response(await streamOf(exchange, reply), { headers: { "content-type": "text/event-stream" } });
    },
  });
}

async function wholeOf(exchange: Exchange, reply: Response): Promise<string> {
  const { body, failure } = exchange.readWhole(await reply.bytes());
  expect(failure).toBeNull();
  return bytesOf(body).toString();
}

async function streamOf(exchange: Exchange, reply: Response): Promise<string> {
  const answer = exchange.openStream();
  const out: Uint8Array[] = [];
  for await (const chunk of reply.body as ReadableStream<Uint8Array>) out.push(answer.push(chunk));
  out.push(answer.end());
  expect(answer).toMatchObject({ complete: true, failure: null });
  // Where the gateway itself has cut the answer, it is billed by estimate.
  out.push(answer.finish(answer.usage ?? NO_USAGE));
  const stream = Buffer.concat(out).toString();
  expect(checkMessagesStream(stream)).toEqual({ end: "stop" });
  return stream;
}

const TOOLS: Anthropic.Tool[] = ["weather", "tides"].map((name) => ({
  name,
  description: `Tells the ${name}.`,
  input_schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  cache_control: { type: "ephemeral" },
}));

const CACHED = { cache_control: { type: "ephemeral" } } as const;

/** The fields that coding agents send with each request, as publicly documented, with fields of betas. */
const AGENT = {
  max_tokens: 32_000,
  system: [
    { type: "text", text: "You are an agent." },
    { type: "text", text: "Rules of the house.", cache_control: { type: "ephemeral", ttl: "1h" } },
  ],
  tools: Array.from(
    { length: 24 },
    (_, at): Anthropic.Tool => ({
      name: at % 2 === 0 ? `Tool${at}` : `mcp__server-${at}__look_up`,
      description: "Does something.\n\nUsage:\n- Carefully.",
      input_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          path: { type: "string", description: "An absolute path" },
          limit: { type: "integer", exclusiveMinimum: 0, maximum: 9007199254740991 },
          mode: { type: "string", enum: ["content", "files"] },
          edits: { type: "array", items: { type: "object", properties: { old: { type: "string" } } }, minItems: 1 },
        },
        required: ["path"],
        additionalProperties: false,
      },
      eager_input_streaming: true,
      ...(at === 23 && CACHED),
    }),
  ),
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort: "high" },
  metadata: { user_id: JSON.stringify({ device_id: "d", session_id: "s" }) },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
} satisfies Partial<Anthropic.MessageCreateParamsNonStreaming> & { readonly context_management: object };

const QUESTION: Anthropic.MessageParam = {
  role: "user",
  content: [{ type: "text", text: "Compare weather and tides.", cache_control: { type: "ephemeral", ttl: "1h" } }],
};

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

const typesOf = ({ content }: Anthropic.Message): string[] => content.map(({ type }) => type);

for (const vendor of VENDORS) {
  for (const streamed of [false, true]) {
    describe(`the official client of a ${vendor[0]} vendor, ${streamed ? "streamed" : "whole"}`, () => {
      type Asked = Partial<Anthropic.MessageCreateParamsNonStreaming> & { readonly messages: Anthropic.MessageParam[] };

      async function ask(model: string, asked: Asked): Promise<Anthropic.Message> {
        const params = { model, max_tokens: 8000, system: "Be brief.", ...asked };
        const client = clientOf(vendor);
        return streamed ? await client.messages.stream(params).finalMessage() : await client.messages.create(params);
      }

      test("calls tools over five turns, and gives back all thinking and all seals", async () => {
        const conversation: Anthropic.MessageParam[] = [QUESTION];
        const thinking = { type: "enabled", budget_tokens: 2048 } as const;
        for (let turn = 0; turn < 5; turn++) {
          // The simulator refuses thinking that differs by a byte from its own.
          const answer = await ask("reason", { messages: conversation, tools: TOOLS, thinking });
          const calls = answer.content.filter((block) => block.type === "tool_use");
          conversation.push({ role: "assistant", content: answer.content });
          if (turn % 2 === 0) {
            expect(answer.stop_reason).toBe("tool_use");
            expect(calls.map(({ name }) => name)).toEqual(["weather", "tides"]);
            for (const { input } of calls) expect(input).toHaveProperty("place");
            const results = calls.map(
              ({ id }, at): Anthropic.ToolResultBlockParam => ({
                type: "tool_result",
                tool_use_id: id,
                content: [{ type: "text", text: `result ${turn}.${at}` }],
                is_error: at === 1,
              }),
            );
            conversation.push({ role: "user", content: results });
          } else {
            expect(answer.stop_reason).toBe("end_turn");
            expect(textOf(answer)).toContain(`result ${turn - 1}.0`);
            conversation.push({ role: "user", content: "And now?" });
          }
          expect(answer.usage.output_tokens).toBeGreaterThan(0);
        }
      });

      test("may be an agent with all the fields of agents: many tools, cache hints, thinking, fields of betas", async () => {
        const first = await ask("everything", { ...AGENT, messages: [QUESTION] });
        expect(first.stop_reason).toBe("tool_use");
        const calls = first.content.filter((block) => block.type === "tool_use");
        // Agents ask to cache the last result too; vendors accept four cache hints in total.
        const results = calls.map(({ id }, at): Anthropic.ToolResultBlockParam => {
          const result = { type: "tool_result" as const, tool_use_id: id, content: "done" };
          return at === calls.length - 1 ? { ...result, ...CACHED } : result;
        });
        const answer: Anthropic.MessageParam = { role: "assistant", content: first.content };
        const second = await ask("everything", {
          ...AGENT,
          messages: [QUESTION, answer, { role: "user", content: [...results, { type: "text", text: "Go on." }] }],
        });
        expect(["end_turn", "tool_use"]).toContain(second.stop_reason ?? "");
        expect(textOf(second)).not.toBe("");
      });

      test("sees thinking where it asked for it, and otherwise gets text first", async () => {
        const why: Asked = { messages: [{ role: "user", content: "Why?" }] };
        const thought = await ask("reason", { ...why, thinking: { type: "adaptive" } });
        const [first] = thought.content;
        expect(first?.type === "thinking" && first.thinking).toContain("Simulated thought 1.");
        expect(textOf(thought)).not.toBe("");
        expect(typesOf(await ask("reason", why))).toEqual(["text"]);
        expect(typesOf(await ask("reason", { ...why, thinking: { type: "disabled" } }))).toEqual(["text"]);
      });

      test("has its answer stopped at its stop sequence", async () => {
        const content = "one two END three";
        const answer = await ask("echo", { messages: [{ role: "user", content }], stop_sequences: ["END"] });
        expect(["end_turn", "stop_sequence"]).toContain(answer.stop_reason ?? "");
        expect(textOf(answer)).toContain("one two");
        expect(textOf(answer)).not.toMatch(/END|three/);
      });

      test("has its answer cut at its output cap", async () => {
        const content = "word ".repeat(50);
        const answer = await ask("echo", { messages: [{ role: "user", content }], max_tokens: 20 });
        expect(answer).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 20 } });
      });

      // The other protocols have no stop reason for a refusal: the model refuses in its text.
      const declining = ["gemini", "bedrock-converse"].includes(vendor[0]) ? ["filter"] : ["refuse", "filter"];
      test.each(declining)("learns that an answer was not given: %s", async (model) => {
        const answer = await ask(model, { messages: [{ role: "user", content: "Do harm." }] });
        expect(answer.stop_reason).toBe("refusal");
      });

      test("gets every character of a text", async () => {
        const answer = await ask("unicode", { messages: [{ role: "user", content: "Go" }] });
        expect(textOf(answer)).toBe(textOf(await whole("unicode")));
      });

      test("gets the numbers of tokens that were read from a cache and written to it", async () => {
        const { usage } = await ask("cached", { messages: [{ role: "user", content: "word ".repeat(40) }] });
        expect(usage.cache_read_input_tokens).toBeGreaterThan(0);
        expect(usage.input_tokens).toBeGreaterThan(0);
        const sum =
          usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
        expect(usage.cache_read_input_tokens).toBe(Math.floor(sum / 2));
      });

      test("has its images reach the model", async () => {
        const image: Anthropic.ImageBlockParam = {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: PIXEL },
        };
        const seen = await ask("vision", {
          messages: [{ role: "user", content: [image, { type: "text", text: "?" }] }],
        });
        expect(textOf(seen)).toContain("image/png");
      });

      test("continues with system messages amid the conversation, and with a file that a tool has read", async () => {
        const call: Anthropic.ToolUseBlockParam = { type: "tool_use", id: "toolu_1", name: "weather", input: {} };
        const source = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQ=" } as const;
        const answer = await ask("tools", {
          tools: TOOLS,
          messages: [
            { role: "assistant", content: "Welcome!" },
            { role: "user", content: "What does the file say?" },
            { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
            { role: "assistant", content: [call] },
            { role: "system", content: "Name your sources." },
            {
              role: "user",
              content: [
                {
                  type: "tool_result",
                  tool_use_id: "toolu_1",
                  content: [
                    { type: "text", text: "PDF file read: a.pdf" },
                    { type: "document", source },
                  ],
                },
              ],
            },
          ],
        });
        expect(textOf(answer)).toContain("a.pdf");
        expect(textOf(answer)).toContain("A document was left out here, as this model reads none: application/pdf");
      });

      test("gets JSON that matches its schema", async () => {
        const schema = {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false,
        };
        // Where the vendor has no JSON format, the answer is a tool call: the simulator has a model for each way.
        const model = vendor[0] === "bedrock-converse" ? "tools" : "json";
        const answer = await ask(model, {
          messages: [{ role: "user", content: "How many?" }],
          output_config: { format: { type: "json_schema", schema } },
        });
        expect(answer.stop_reason).toBe("end_turn");
        expect(JSON.parse(textOf(answer))).toEqual({ n: expect.any(Number) });
      });
    });
  }
}

/** The whole answer of a messages vendor without the gateway. */
async function whole(model: string): Promise<Anthropic.Message> {
  const client = new Anthropic({ apiKey: "cm-test", baseURL: simulator.base_url.replace(/\/v1$/, ""), maxRetries: 0 });
  return await client.messages.create({ model, max_tokens: 8000, messages: [{ role: "user", content: "Go" }] });
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
