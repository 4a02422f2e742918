import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  GoogleGenAI,
} from "@google/genai";
import { UNICODE_TEXT } from "../../../simulator/contents/index.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { RawClient } from "../../../simulator/testing/raw-client.ts";

let simulator: Simulator;
let google: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: "simulated-key" });
  google = new GoogleGenAI({ apiKey: "simulated-key", httpOptions: { baseUrl: simulator.url } });
});
afterAll(() => simulator.stop());

const WEATHER = {
  name: "weather",
  description: "Weather of a place",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const TIME = { name: "time", parametersJsonSchema: { type: "object", properties: { zone: { type: "string" } } } };

function ask(model: string, text: string, config: GenerateContentParameters["config"] = {}): GenerateContentParameters {
  return { model: encodeURIComponent(model), contents: text, config };
}

async function streamed(request: GenerateContentParameters) {
  return Array.fromAsync(await google.models.generateContentStream(request));
}

async function refusal(request: GenerateContentParameters): Promise<ApiError> {
  const error = await google.models.generateContent(request).catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return error;
  throw new Error(`not refused: ${JSON.stringify(error)}`);
}

describe("Google's own client", () => {
  test("gets the answer whole and streamed, with the same usage at the end", async () => {
    const whole = await google.models.generateContent(ask("echo", "one two three"));
    expect(whole.text).toBe("Simulated answer: one two three");
    expect(whole.candidates?.[0]?.finishReason).toBe("STOP" as never);
    const chunks = await streamed(ask("echo", "one two three"));
    expect(chunks.map((chunk) => chunk.text ?? "").join("")).toBe("Simulated answer: one two three");
    expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata as never);
    expect(whole.usageMetadata).toMatchObject({ promptTokenCount: 4, candidatesTokenCount: 8, totalTokenCount: 12 });
  });

  test("gets text with difficult characters unbroken", async () => {
    const chunks = await streamed(ask("unicode", "Go"));
    expect(chunks.map((chunk) => chunk.text ?? "").join("")).toBe(UNICODE_TEXT);
  });

  test("has its tools called in parallel, chosen, forced and forbidden", async () => {
    const tools = [{ functionDeclarations: [WEATHER, TIME] }];
    const names = async (mode?: FunctionCallingConfigMode, allowedFunctionNames?: string[]) => {
      const functionCallingConfig = { ...(mode && { mode }), ...(allowedFunctionNames && { allowedFunctionNames }) };
      const toolConfig = mode === undefined ? {} : { toolConfig: { functionCallingConfig } };
      const { functionCalls } = await google.models.generateContent(ask("tools", "Go", { tools, ...toolConfig }));
      return functionCalls?.map(({ name }) => name) ?? [];
    };
    expect(await names()).toEqual(["weather", "time"]);
    expect(await names(FunctionCallingConfigMode.NONE)).toEqual([]);
    expect(await names(FunctionCallingConfigMode.ANY, ["time"])).toEqual(["time"]);
  });

  test("gets signatures with calls, and must send them back unchanged", async () => {
    const tools = [{ functionDeclarations: [WEATHER] }];
    const first = await google.models.generateContent(ask("reason", "Weather?", { tools }));
    const [part] = first.candidates?.[0]?.content?.parts ?? [];
    expect(part).toMatchObject({ functionCall: { name: "weather" } });
    expect(first.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
    const { id = "", name = "" } = part?.functionCall ?? {};
    const goOn = (thoughtSignature: string | undefined): GenerateContentParameters => {
      const called = { functionCall: { id, name, args: {} }, ...(thoughtSignature && { thoughtSignature }) };
      const contents: Content[] = [
        { role: "user", parts: [{ text: "Weather?" }] },
        { role: "model", parts: [called] },
        { role: "user", parts: [{ functionResponse: { id, name, response: { output: "sunny" } } }] },
      ];
      return { model: "reason", contents, config: { tools } };
    };
    for (const signature of [part?.thoughtSignature, "skip_thought_signature_validator"]) {
      expect((await google.models.generateContent(goOn(signature))).text).toContain("tool results: sunny");
    }
    expect((await refusal(goOn(undefined))).message).toContain("missing a thought_signature");
    expect((await refusal(goOn("Zm9yZ2Vk"))).message).toContain("Corrupted thought signature.");
  });

  test("must use known fields only, and answer every call", async () => {
    expect((await refusal(ask("echo", "Hi", { stopSequences: ["1", "2", "3", "4", "5", "6"] }))).status).toBe(400);
    expect((await refusal(ask("no-such-model", "Hi"))).status).toBe(404);
    expect((await refusal(ask("fail-429", "Hi"))).message).toContain("RESOURCE_EXHAUSTED");
  });

  test("gets thoughts only where it asks for them", async () => {
    const parts = async (config: GenerateContentParameters["config"]) =>
      (await google.models.generateContent(ask("reason", "Think", config))).candidates?.[0]?.content?.parts ?? [];
    expect((await parts({})).map(({ thought }) => thought)).toEqual([undefined]);
    expect((await parts({ thinkingConfig: { includeThoughts: true } })).map(({ thought }) => thought)).toEqual([
      true,
      undefined,
    ]);
    expect((await parts({ thinkingConfig: { thinkingBudget: 0 } }))[0]).not.toHaveProperty("thoughtSignature");
  });

  test("gets structured output, a cap, a stop sequence, a filter and log probabilities", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const json = await google.models.generateContent(
      ask("json", "As JSON", { responseMimeType: "application/json", responseJsonSchema: schema }),
    );
    expect(json.text).toBe('{"city":"simulated"}');
    const reasonOf = async (model: string, config: GenerateContentParameters["config"] = {}) =>
      (await google.models.generateContent(ask(model, "Go", config))).candidates?.[0]?.finishReason as
        | string
        | undefined;
    expect(await reasonOf("long", { maxOutputTokens: 37 })).toBe("MAX_TOKENS");
    expect(await reasonOf("filter")).toBe("SAFETY");
    const stopped = await google.models.generateContent(ask("stop", "Go", { stopSequences: ["END"] }));
    expect(stopped.text).toBe("Simulated answer: before");
    const logprobs = await google.models.generateContent(ask("echo", "Hi", { responseLogprobs: true, logprobs: 1 }));
    expect(logprobs.candidates?.[0]?.logprobsResult?.chosenCandidates?.[0]).toMatchObject({ token: "Simulated" });
  });

  test("has its images counted", async () => {
    const answer = await google.models.generateContent({
      model: "vision",
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { mimeType: "image/png", data: "R0lGODlhAQABAAAAACw=" } },
            { fileData: { mimeType: "image/jpeg", fileUri: "https://example.com/cat.jpg" } },
          ],
        },
      ],
    });
    expect(answer.text).toBe("Simulated answer: 2 images: image/png of 14 bytes, https://example.com/cat.jpg");
  });

  test("gets a failure before and within a stream", async () => {
    for (const model of ["error-first", "error-mid"]) {
      const error = await streamed(ask(model, "one two three")).catch((thrown: unknown) => thrown);
      expect(String(error)).toContain("UNAVAILABLE");
    }
  });
});

describe("Vertex AI's paths", () => {
  const PATH = "/v1/projects/p/locations/global/publishers/google/models/tools";
  const post = async (path: string, body: object) => {
    const headers = { authorization: "Bearer simulated-key" };
    const answer = await fetch(`${simulator.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const question = { role: "user", parts: [{ text: "Go" }] };
  const tools = [{ functionDeclarations: [WEATHER] }];

  test("have calls without ids, and refuse calls with ids", async () => {
    const { status, body } = await post(`${PATH}:generateContent`, { contents: [question], tools });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain('"id"');
    const named = { role: "model", parts: [{ functionCall: { id: "a", name: "weather", args: {} } }] };
    const answer = { role: "user", parts: [{ functionResponse: { name: "weather", response: {} } }] };
    const refused = await post(`${PATH}:generateContent`, { contents: [question, named, answer], tools });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('Unknown name "id"') } },
    });
  });
});

describe("faults of delivery", () => {
  const connect = (model: string) =>
    RawClient.post(
      simulator.port,
      `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
      { contents: [{ parts: [{ text: "one two three four" }] }] },
      { "x-goog-api-key": "simulated-key" },
    );

  test("cut a stream after some content, or end it there as if it were complete", async () => {
    const cut = await connect("cut-mid@after=2");
    await cut.closed;
    expect(cut.received).toContain("Simulated");
    expect(cut.complete).toBe(false);
    const ended = await connect("end-mid@after=1");
    await ended.until("\r\n0\r\n\r\n");
    expect(ended.received).not.toContain("finishReason");
    ended.leave();
  });
});
