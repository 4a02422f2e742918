import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Tool,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { UNICODE_TEXT } from "../../../simulator/contents/index.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator/server.ts";
import { RawClient } from "../../../simulator/testing/raw-client.ts";

const AWS = {
  access_key_id: "AKIDEXAMPLE",
  secret_access_key: "secret+/=",
  session_token: "tok//en",
  region: "eu-north-1",
};

let simulator: Simulator;
let client: BedrockRuntimeClient;

beforeAll(async () => {
  simulator = await startSimulator({ aws: AWS });
  client = clientOf(simulator);
});
afterAll(() => simulator.stop());

function clientOf({ url }: Simulator, secretAccessKey = AWS.secret_access_key): BedrockRuntimeClient {
  const credentials = { accessKeyId: AWS.access_key_id, secretAccessKey, sessionToken: AWS.session_token };
  return new BedrockRuntimeClient({ ...settings(url), credentials });
}

/** AWS's client speaks HTTP/2 by default, which the simulator does not speak without TLS. */
function settings(url: string) {
  return { endpoint: url, region: AWS.region, maxAttempts: 1, requestHandler: new NodeHttpHandler() };
}

function ask(modelId: string, text: string, rest: Partial<ConverseCommandInput> = {}): ConverseCommandInput {
  return { modelId, messages: [{ role: "user", content: [{ text }] }], ...rest };
}

const converse = (input: ConverseCommandInput) => client.send(new ConverseCommand(input));

async function stream(input: ConverseCommandInput): Promise<ConverseStreamOutput[]> {
  const answer = await client.send(new ConverseStreamCommand(input));
  return answer.stream === undefined ? [] : await Array.fromAsync(answer.stream);
}

function textOf(events: readonly ConverseStreamOutput[]): string {
  return events.map((event) => event.contentBlockDelta?.delta?.text ?? "").join("");
}

async function refusal(input: ConverseCommandInput): Promise<string> {
  const error = await converse(input).catch((thrown: unknown) => thrown);
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  throw new Error("not refused");
}

const tool = (name: string): Tool => ({
  toolSpec: {
    name,
    inputSchema: { json: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
  },
});

describe("AWS's own client", () => {
  test("gets the answer whole and streamed, with the same usage at the end", async () => {
    const whole = await converse(ask("echo", "one two three"));
    expect(whole.output?.message?.content).toEqual([{ text: "Simulated answer: one two three" }]);
    expect(whole.stopReason).toBe("end_turn");
    const events = await stream(ask("echo", "one two three"));
    expect(textOf(events)).toBe("Simulated answer: one two three");
    expect(events.at(-1)?.metadata?.usage).toEqual(whole.usage as never);
    expect(whole.usage).toMatchObject({ inputTokens: 4, outputTokens: 8, totalTokens: 12 });
  });

  test("gets text with difficult characters unbroken, in pieces of any size", async () => {
    for (const model of ["unicode", "unicode@fault=chunks-7", "unicode@fault=chunks-1", "unicode@fault=one-chunk"]) {
      expect(textOf(await stream(ask(model, "Go")))).toBe(UNICODE_TEXT);
    }
  });

  test("has its tools called in parallel, chosen and forced", async () => {
    const tools = [tool("weather"), tool("time")];
    const names = async (modelId: string, rest: object = {}, fields?: Record<string, unknown>) => {
      const extra = fields === undefined ? {} : { additionalModelRequestFields: fields as never };
      const answer = await converse(ask(modelId, "Go", { toolConfig: { tools, ...rest }, ...extra }));
      return answer.output?.message?.content?.map((block) => block.toolUse?.name);
    };
    expect(await names("tools")).toEqual(["weather", "time"]);
    expect(await names("tools", { toolChoice: { tool: { name: "time" } } })).toEqual(["time"]);
    const one = { tool_choice: { type: "auto", disable_parallel_tool_use: true } };
    expect(await names("anthropic.tools", {}, one)).toEqual(["weather"]);
    expect(await names("anthropic.tools", {}, { tool_choice: { type: "none" } })).toEqual([undefined]);
  });

  test("streams a call's input in pieces that join to its JSON", async () => {
    const events = await stream(ask("tools", "Go", { toolConfig: { tools: [tool("weather")] } }));
    const input = events.map((event) => event.contentBlockDelta?.delta?.toolUse?.input ?? "").join("");
    expect(JSON.parse(input)).toEqual({ city: "simulated" });
    expect(events.find((event) => event.contentBlockStart)?.contentBlockStart?.start?.toolUse?.name).toBe("weather");
  });

  test("continues after tool results, with its signed reasoning unchanged", async () => {
    const thinking = { thinking: { type: "enabled", budget_tokens: 2048 } };
    const rest = { toolConfig: { tools: [tool("weather")] }, additionalModelRequestFields: thinking };
    const first = await converse(ask("us.anthropic.reason", "Go", rest));
    const said = first.output?.message?.content ?? [];
    expect(said[0]?.reasoningContent?.reasoningText?.signature).toBeString();
    const call = said.find((block) => block.toolUse)?.toolUse;
    const goOn = (content: ContentBlock[]) => ({
      ...ask("us.anthropic.reason", "Go", rest),
      messages: [
        { role: "user" as const, content: [{ text: "Go" }] },
        { role: "assistant" as const, content },
        {
          role: "user" as const,
          content: [{ toolResult: { toolUseId: call?.toolUseId, content: [{ text: "sunny" }] } }],
        },
      ],
    });
    const second = await converse(goOn(said));
    expect(second.output?.message?.content?.at(-1)?.text).toContain("tool results: sunny");
    const forged = { reasoningContent: { reasoningText: { text: "Simulated thought", signature: "forged" } } };
    expect(await refusal(goOn([forged, ...said.slice(1)]))).toContain("ValidationException: Invalid signature");
  });

  test("gets the real vendor's refusals", async () => {
    const content = [{ text: "Hi" }];
    const twice = [
      { role: "user" as const, content },
      { role: "user" as const, content },
    ];
    expect(await refusal({ modelId: "echo", messages: twice })).toContain("alternate");
    expect(await refusal(ask("echo", " "))).toContain("blank");
    expect(await refusal(ask("echo", "Hi", { inferenceConfig: { temperature: 1.5 } }))).toContain("temperature");
    expect(await refusal(ask("echo", "Hi", { additionalModelRequestFields: { top_k: 5 } }))).toContain("top_k");
    const unanswered: ConverseCommandInput["messages"] = [
      { role: "user", content },
      { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "weather", input: {} } }] },
      { role: "user", content },
    ];
    expect(
      await refusal({ modelId: "echo", messages: unanswered, toolConfig: { tools: [tool("weather")] } }),
    ).toContain("toolResult");
    expect(await refusal(ask("no-such-model", "Hi"))).toContain("does not exist");
  });

  test("learns of a cap, a stop sequence and a filter", async () => {
    const reasonOf = async (model: string, inferenceConfig = {}) =>
      (await converse(ask(model, "Go", { inferenceConfig }))).stopReason;
    expect(await reasonOf("long", { maxTokens: 37 })).toBe("max_tokens");
    expect(await reasonOf("filter")).toBe("content_filtered");
    const paths = { additionalModelResponseFieldPaths: ["/stop_sequence"] };
    const stopped = await converse(ask("stop", "Go", { inferenceConfig: { stopSequences: ["END"] }, ...paths }));
    expect(stopped).toMatchObject({
      stopReason: "stop_sequence",
      additionalModelResponseFields: { stop_sequence: "END" },
    });
  });

  test("gets cache reads and writes beside the input", async () => {
    const { usage } = await converse(ask("cached", "x".repeat(400)));
    expect(usage).toMatchObject({ inputTokens: 25, cacheReadInputTokens: 50, cacheWriteInputTokens: 25 });
  });

  test("has its images counted", async () => {
    const bytes = Buffer.from("R0lGODlhAQABAAAAACw=", "base64");
    const content: ContentBlock[] = [{ image: { format: "gif", source: { bytes } } }, { text: "What is it?" }];
    const answer = await converse({ modelId: "vision", messages: [{ role: "user", content }] });
    expect(answer.output?.message?.content).toEqual([{ text: "Simulated answer: 1 image: image/gif of 14 bytes" }]);
  });

  test("gets a failure before and within a stream as an exception of its kind", async () => {
    for (const [model, name] of [
      ["error-first", "ServiceUnavailableException"],
      ["error-mid@status=429", "ThrottlingException"],
      ["error-mid@status=502", "ModelStreamErrorException"],
    ] as const) {
      const error = await stream(ask(model, "one two three")).catch((thrown: unknown) => thrown);
      expect(error).toHaveProperty("name", name);
    }
  });
});

describe("a signature", () => {
  test("with another secret, or without a signature, is refused", async () => {
    const other = clientOf(simulator, "another");
    const error = await other.send(new ConverseCommand(ask("echo", "Hi"))).catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty("$metadata.httpStatusCode", 403);
    const body = JSON.stringify({ messages: [{ role: "user", content: [{ text: "Hi" }] }] });
    expect((await fetch(`${simulator.url}/model/echo/converse`, { method: "POST", body })).status).toBe(403);
  });

  test("is not required where the simulator expects a key", async () => {
    await using other = await started({ api_key: "bedrock-api-key-1" });
    const bearer = new BedrockRuntimeClient({
      ...settings(other.url),
      token: { token: "bedrock-api-key-1" },
      authSchemePreference: ["httpBearerAuth"],
    });
    const answer = await bearer.send(new ConverseCommand(ask("echo", "Hi")));
    expect(answer.stopReason).toBe("end_turn");
  });
});

describe("faults of delivery", () => {
  test("cut a stream after some content, or end it there as if it were complete", async () => {
    await using plain = await started();
    const connect = (model: string) =>
      RawClient.post(plain.port, `/model/${encodeURIComponent(model)}/converse-stream`, {
        messages: [{ role: "user", content: [{ text: "one two three four" }] }],
      });
    const cut = await connect("cut-mid@after=2");
    await cut.closed;
    expect(cut.received).toContain("Simulated");
    expect(cut.complete).toBe(false);
    const ended = await connect("end-mid@after=1");
    await ended.until("\r\n0\r\n\r\n");
    expect(ended.received).not.toContain("messageStop");
    ended.leave();
    const broken = await connect("bad-json");
    await broken.until('{"broken": ');
    broken.leave();
    const huge = await connect("huge-line@bytes=2000");
    await huge.until("x".repeat(2000));
    huge.leave();
  });
});

/** A simulator that stops at the end of its test. */
async function started(options: SimulatorOptions = {}) {
  const other = await startSimulator(options);
  return { ...other, [Symbol.asyncDispose]: () => other.stop() };
}
