import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { plainModel } from "../../support/plain-model.ts";

/** A program in chat's form before `tools` goes on with a model of any vendor, by the official client (docs/rulings.md 52). */

const AWS = { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret+/=", region: "eu-north-1" };
/** On relay the vendor has the form itself. */
const VENDORS = ["responses", "messages", "gemini", "bedrock-converse"] as const;
const FUNCTIONS = [
  {
    name: "tides",
    description: "The tides.",
    parameters: { type: "object", properties: { place: { type: "string" } } },
  },
  { name: "clock", parameters: { type: "object", properties: {} } },
];

let simulators: readonly Simulator[];
let gateway: Gateway;
let client: OpenAI;

beforeAll(async () => {
  const [open, amazon] = await Promise.all([startSimulator(), startSimulator({ aws: AWS })]);
  simulators = [open, amazon];
  const addresses = { gemini: `${open.url}/v1beta`, "bedrock-converse": amazon.url };
  const vendors = Object.fromEntries(
    VENDORS.map((protocol) => {
      const base_url = protocol in addresses ? addresses[protocol as keyof typeof addresses] : open.base_url;
      return [protocol, { protocol, base_url, ...(protocol === "bedrock-converse" ? { aws: AWS } : { api_key: "k" }) }];
    }),
  );
  const models = Object.fromEntries(
    VENDORS.map((id) => [`${id}/tools`, plainModel({ price: { input: "1", output: "4" } })]),
  );
  gateway = await startGateway({ config: JSON.stringify({ catalog: "none", vendors, models }) });
  const { key } = await gateway.newKey({ credit: "10" });
  client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all(simulators.map((simulator) => simulator.stop()));
});

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];
type Choice = OpenAI.Chat.ChatCompletion.Choice;

async function ask(vendor: string, messages: Messages, streams: boolean, more = {}): Promise<Choice> {
  const body = { model: `${vendor}/tools`, messages, functions: FUNCTIONS, ...more };
  const answer = streams
    ? await client.chat.completions.stream(body).finalChatCompletion()
    : await client.chat.completions.create(body);
  const [choice] = answer.choices;
  if (choice === undefined) throw new Error("no choice");
  return choice;
}

const ASKED: Messages = [{ role: "user", content: "The tides in Lima?" }];

describe.each(VENDORS)("functions at a vendor of %s", (vendor) => {
  test.each([false, true])("are called in the same form, and the result is read (streamed: %p)", async (streams) => {
    const first = await ask(vendor, ASKED, streams, { function_call: { name: "tides" } });
    expect(first).toMatchObject({ message: { role: "assistant", function_call: { name: "tides" } } });
    expect(first.message.tool_calls ?? []).toEqual([]);
    const { function_call: call } = first.message;
    expect(JSON.parse(call?.arguments ?? "")).toEqual(expect.any(Object));
    const said: Messages = [
      ...ASKED,
      { role: "assistant", content: null, ...(call && { function_call: call }) },
      { role: "function", name: "tides", content: "high in Lima" },
    ];
    const second = await ask(vendor, said, streams);
    expect([second.finish_reason, second.message.content]).toEqual(["stop", expect.stringContaining("high in Lima")]);
  });

  test("are one call at a time, whatever else the model calls", async () => {
    for (const streams of [false, true]) {
      const { message, finish_reason } = await ask(vendor, ASKED, streams);
      expect([message.function_call?.name, finish_reason]).toEqual(["tides", "function_call"]);
      expect(JSON.parse(message.function_call?.arguments ?? "")).toEqual(expect.any(Object));
    }
  });

  test("are not called where they may not be", async () => {
    const { message, finish_reason } = await ask(vendor, ASKED, false, { function_call: "none" });
    expect([message.function_call ?? null, finish_reason]).toEqual([null, "stop"]);
  });
});

test("functions beside tools are a 400 where they are translated, as an answer has one form", async () => {
  const tools = [{ type: "function", function: { name: "clock" } }];
  const refused = ask("messages", ASKED, false, { tools });
  expect(refused).rejects.toMatchObject({ status: 400, code: "unsupported_parameter", param: "functions" });
});
