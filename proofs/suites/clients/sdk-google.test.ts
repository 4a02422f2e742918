import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  Type,
} from "@google/genai";
import { endedReceipt } from "../../support/receipts.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/** Google's official client, unmodified, against a running gateway, on a model of every vendor protocol (docs/api.md 4.14). */

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WEATHER = {
  name: "weather",
  description: "Weather of a place",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const TIME = {
  name: "time",
  parameters: { type: Type.OBJECT, properties: { zone: { type: Type.STRING, nullable: true } } },
};
const TOOLS = [{ functionDeclarations: [WEATHER, TIME] }];
const ANSWER_SCHEMA = { type: Type.OBJECT, properties: { answer: { type: Type.STRING } }, required: ["answer"] };

let five: FiveVendors;
let google: GoogleGenAI;
beforeAll(async () => {
  five = await startFiveVendors();
  google = clientFor(five.key);
});
afterAll(() => five[Symbol.asyncDispose]());

function clientFor(apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: five.gateway.url } });
}

async function streamed(request: GenerateContentParameters): Promise<GenerateContentResponse[]> {
  return Array.fromAsync(await google.models.generateContentStream(request));
}

function textOf(chunks: readonly GenerateContentResponse[]): string {
  return partsOf(chunks)
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => text ?? "")
    .join("");
}

function partsOf(chunks: readonly GenerateContentResponse[]): Part[] {
  return chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
}

async function refusal(asking: Promise<unknown>): Promise<{ readonly status: number; readonly error: Error_ }> {
  const thrown = await asking.catch((error: unknown) => error);
  if (!(thrown instanceof ApiError)) throw new Error(`not refused: ${JSON.stringify(thrown)}`);
  return { status: thrown.status, error: (JSON.parse(thrown.message) as { error: Error_ }).error };
}

interface Error_ {
  readonly code: number;
  readonly message: string;
  readonly status: string;
  readonly details: readonly { readonly reason?: string }[];
}

describe.each(PROTOCOLS)("on %s", (vendor) => {
  test("an answer comes whole and streamed, with the same usage, cost and name", async () => {
    const asked = { model: `${vendor}/echo`, contents: "one two three", config: { maxOutputTokens: 500 } };
    const whole = await google.models.generateContent(asked);
    expect(whole.text).toContain("one two three");
    expect(whole.candidates?.[0]).toMatchObject({ finishReason: "STOP", index: 0, content: { role: "model" } });
    expect(whole.modelVersion).toBe(`${vendor}/echo`);
    expect(whole.responseId).toMatch(/./);
    const chunks = await streamed(asked);
    expect(textOf(chunks)).toBe(whole.text ?? "");
    expect(chunks.length).toBeGreaterThan(2);
    for (const { candidates, modelVersion } of chunks) {
      expect(candidates?.[0]?.content?.parts?.length).toBeGreaterThan(0);
      expect(modelVersion).toBe(`${vendor}/echo`);
    }
    expect(chunks.filter(({ candidates }) => candidates?.[0]?.finishReason)).toHaveLength(1);
    const { usageMetadata } = chunks.at(-1) ?? {};
    expect(usageMetadata).toEqual(whole.usageMetadata as never);
    expect(usageMetadata).toMatchObject({ cost: expect.any(Number), promptTokenCount: expect.any(Number) });
  });

  test("functions are called, forced and forbidden, and their results go back", async () => {
    const ask = (contents: GenerateContentParameters["contents"], config = {}) =>
      google.models.generateContent({ model: `${vendor}/tools`, contents, config: { tools: TOOLS, ...config } });
    const names = ({ functionCalls }: GenerateContentResponse) => functionCalls?.map(({ name }) => name) ?? [];
    const calling = (mode: FunctionCallingConfigMode, allowedFunctionNames?: string[]) => ({
      toolConfig: { functionCallingConfig: { mode, ...(allowedFunctionNames && { allowedFunctionNames }) } },
    });
    const first = await ask("Go");
    expect(names(first)).toContain("weather");
    expect(names(await ask("Go", calling(FunctionCallingConfigMode.ANY, ["time"])))).toEqual(["time"]);
    if (vendor !== "bedrock-converse")
      expect(names(await ask("Go", calling(FunctionCallingConfigMode.NONE)))).toEqual([]);
    const chunks = await streamed({ model: `${vendor}/tools`, contents: "Go", config: { tools: TOOLS } });
    expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? []).map(({ name }) => name)).toEqual(names(first));
    const said = first.candidates?.[0]?.content as Content;
    // A client may leave out the ids of calls and results, as this API allows.
    for (const with_ids of [true, false]) {
      const parts = (first.functionCalls ?? []).map(({ id, name }) => ({
        functionResponse: {
          ...(with_ids && id !== undefined && { id }),
          name: name ?? "",
          response: { output: "done" },
        },
      }));
      const answer = await ask([{ role: "user", parts: [{ text: "Go" }] }, said, { role: "user", parts }]);
      expect(names(answer)).toEqual([]);
      expect(answer.text).toMatch(/./);
    }
  });

  test("a schema of either dialect is kept", async () => {
    const ask = async (format: object) => {
      const { text } = await google.models.generateContent({
        ...{ model: `${vendor}/json`, contents: "Answer." },
        config: { responseMimeType: "application/json", ...format },
      });
      return JSON.parse(text ?? "") as Record<string, unknown>;
    };
    expect(Object.keys(await ask({ responseSchema: ANSWER_SCHEMA }))).toEqual(["answer"]);
    const properties = { answer: { type: "string" } };
    const responseJsonSchema = { type: "object", properties, required: ["answer"], additionalProperties: false };
    expect(Object.keys(await ask({ responseJsonSchema }))).toEqual(["answer"]);
  });

  test("thoughts are shown where they are asked for, and go back with their signatures", async () => {
    const ask = (contents: Content[], includeThoughts: boolean) =>
      streamed({
        ...{ model: `${vendor}/reason`, contents },
        config: { tools: TOOLS, maxOutputTokens: 20_000, thinkingConfig: { includeThoughts, thinkingBudget: 2048 } },
      });
    const user: Content = { role: "user", parts: [{ text: "Weather?" }] };
    for (const includes of [true, false]) {
      const chunks = await ask([user], includes);
      const parts = partsOf(chunks);
      const thoughts = parts.filter(({ thought, text }) => thought === true && text !== "");
      if (includes) expect(thoughts.length).toBeGreaterThan(0);
      else expect(thoughts).toEqual([]);
      const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
      expect(calls.length).toBeGreaterThan(0);
      const results = calls.map(({ functionCall }) => ({
        functionResponse: { id: functionCall?.id ?? "", name: functionCall?.name ?? "", response: { output: "done" } },
      }));
      // Clients keep a stream as one turn for each piece, and some keep no thoughts; the simulator refuses a changed signature.
      const kept = chunks.map(({ candidates }) => candidates?.[0]?.content as Content);
      const without = kept.map(({ role, parts: all }) => ({
        role,
        parts: (all ?? []).filter(({ thought }) => !thought),
      }));
      for (const said of [kept, without.filter(({ parts: left }) => left.length > 0)]) {
        const next = await ask([user, ...(said as Content[]), { role: "user", parts: results }], includes);
        expect(textOf(next)).toMatch(/./);
        expect(next.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP" as never);
      }
    }
  });

  test("an image is seen", async () => {
    const { text } = await google.models.generateContent({
      model: `${vendor}/vision`,
      contents: [
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }, { text: "What is it?" }] },
      ],
    });
    expect(text).toMatch(/1 image/i);
  });

  test("a chat keeps its history", async () => {
    const chat = google.chats.create({ model: `${vendor}/echo` });
    for await (const _ of await chat.sendMessageStream({ message: "First." }));
    await chat.sendMessage({ message: "Second." });
    expect(chat.getHistory(true).filter(({ role }) => role === "user")).toHaveLength(2);
    expect(JSON.stringify(five.simulator.log.last?.body)).toContain("First.");
  });

  test("tokens are counted without a charge", async () => {
    const { totalTokens } = await google.models.countTokens({ model: `${vendor}/echo`, contents: "one two three" });
    expect(totalTokens).toBeGreaterThan(1);
  });
});

describe("a request", () => {
  test("is charged what its answer says", async () => {
    const answer = await google.models.generateContent({ model: "messages/echo", contents: "one two three" });
    const id = answer.sdkHttpResponse?.headers?.["x-camino-request-id"] ?? "";
    const receipt = await endedReceipt(five.gateway, five.key, id);
    expect(receipt).toMatchObject({ endpoint: "generateContent", model: "messages/echo" });
    const { cost } = answer.usageMetadata as unknown as { cost: number };
    expect(receipt.charge_micro).toBe(Math.round(cost * 1_000_000));
  });

  test("with a bad key, a bad model, a bad body or too little money gets Google's words", async () => {
    const ask = (client: GoogleGenAI, model: string, contents: unknown = "Hello") =>
      refusal(client.models.generateContent({ model, contents: contents as string }));
    expect(await ask(clientFor("cm-wrong"), "messages/echo")).toMatchObject({
      ...{ status: 401, error: { code: 401, status: "UNAUTHENTICATED" } },
    });
    expect(await ask(google, "no/such-model")).toMatchObject({
      ...{ status: 404, error: { status: "NOT_FOUND", details: [{ reason: "model_not_found" }] } },
    });
    expect(await ask(google, "messages/echo", [{ role: "robot", parts: [{ text: "x" }] }])).toMatchObject({
      ...{ status: 400, error: { status: "INVALID_ARGUMENT" } },
    });
    const poor = clientFor((await five.gateway.newKey({ credit: "0" })).key);
    expect(await ask(poor, "messages/echo")).toMatchObject({
      ...{ status: 402, error: { status: "FAILED_PRECONDITION", details: [{ reason: "insufficient_balance" }] } },
    });
  });

  test("that is repeated gets the answer of the first, and is charged once", async () => {
    const httpOptions = { headers: { "idempotency-key": "again" } };
    const ask = () =>
      google.models.generateContent({ model: "gemini/echo", contents: "Once.", config: { httpOptions } });
    const [first, second] = [await ask(), await ask()];
    expect(second.responseId).toBe(first.responseId as string);
    expect(second.sdkHttpResponse?.headers?.["idempotent-replayed"]).toBe("true");
  });

  test("may ask below /v1, and with its model's slash encoded", async () => {
    const older = new GoogleGenAI({ apiKey: five.key, apiVersion: "v1", httpOptions: { baseUrl: five.gateway.url } });
    for (const model of ["messages/echo", "messages%2Fecho"]) {
      const { text } = await older.models.generateContent({ model, contents: "Hello" });
      expect(text).toContain("Hello");
    }
  });
});

test("the models are listed in pages, and found one by one", async () => {
  const pager = await google.models.list({ config: { pageSize: 7 } });
  const found = await Array.fromAsync(pager);
  expect(found.map(({ name }) => name)).toContain("models/messages/echo");
  expect(new Set(found.map(({ name }) => name)).size).toBe(found.length);
  expect(found.length).toBeGreaterThan(7);
  expect(await google.models.get({ model: "messages/echo" })).toMatchObject({ name: "models/messages/echo" });
});
