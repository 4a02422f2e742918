import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { plainModel } from "../../support/plain-model.ts";

/** What a vendor says of a relayed request beside its sentence reaches official clients, without what is the operator's (docs/rulings.md 19). */

const CREDENTIAL = "plainwordsofacredential";
const DETAILS = {
  error_code: "image_dimensions_too_large",
  max_side_length_pixels: 8000,
  paths: ["messages.0.content.1"],
};
const PARAM = "messages[0].content[1].image_url";

/** The vendor's error by the model's name there. */
const ERRORS: Readonly<Record<string, object>> = {
  telling: { param: PARAM, details: DETAILS },
  careless: { param: CREDENTIAL, details: { error_code: CREDENTIAL } },
  owner: { param: "org-Ab12Cd34Ef56", details: { error_code: "organization_on_hold", workspace_id: "wrkspc_01" } },
};

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { model } = (await request.json()) as { model: string };
    const error = { type: "invalid_request_error", message: "The request is wrong.", ...ERRORS[model] };
    return Response.json({ type: "error", error }, { status: 400 });
  },
});

let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  const protocols = ["chat-completions", "responses", "messages"];
  const entry = { base_url: `http://127.0.0.1:${server.port}`, api_key: CREDENTIAL };
  const vendors = Object.fromEntries(protocols.map((protocol) => [protocol, { protocol, ...entry }]));
  const models = Object.fromEntries(
    protocols.flatMap((protocol) =>
      Object.keys(ERRORS).map((name) => [`${protocol}/${name}`, plainModel({ price: { input: "1", output: "1" } })]),
    ),
  );
  gateway = await startGateway({ config: JSON.stringify({ catalog: "none", vendors, models }) });
  key = await gateway.newKey({ credit: "10" });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await server.stop(true);
});

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
}

/** The error that a client of messages throws. */
async function ofAnthropic(model: string) {
  const client = new Anthropic({ apiKey: key.key, baseURL: gateway.url, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Hi" }];
  const thrown = await thrownBy(client.messages.create({ model, max_tokens: 9, messages }));
  if (!(thrown instanceof Anthropic.BadRequestError)) throw thrown;
  const { errorCode, details, message } = thrown;
  return { errorCode, details, message };
}

/** The error that a client of chat or responses throws. */
async function ofOpenai(style: "chat" | "responses", model: string) {
  const client = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const call =
    style === "chat"
      ? client.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] })
      : client.responses.create({ model, input: "Hi" });
  const thrown = await thrownBy(call);
  if (!(thrown instanceof OpenAI.BadRequestError)) throw thrown;
  const { param, error, message } = thrown;
  return { param, error, message };
}

describe("a client in its vendor's own style", () => {
  test("of messages gets the details", async () => {
    expect(await ofAnthropic("messages/telling")).toMatchObject({ errorCode: DETAILS.error_code, details: DETAILS });
  });

  test.each(["chat", "responses"] as const)("of %s gets the place", async (style) => {
    const model = style === "chat" ? "chat-completions/telling" : "responses/telling";
    const told = await ofOpenai(style, model);
    expect(told.param).toBe(PARAM);
    expect(told.error).not.toHaveProperty("details");
  });

  test.each(["careless", "owner"])("gets nothing of the operator's: %s", async (name) => {
    const tellings = [
      await ofAnthropic(`messages/${name}`),
      await ofOpenai("chat", `chat-completions/${name}`),
      await ofOpenai("responses", `responses/${name}`),
    ];
    expect(JSON.stringify(tellings)).not.toMatch(/plainwords|org-|wrkspc|on_hold/);
    expect(tellings.map(({ message }) => message)).toEqual(
      tellings.map(() => expect.stringContaining("The request is wrong.")),
    );
  });
});

describe("a client of another style, whose body has other places,", () => {
  test("gets the sentence alone", async () => {
    expect(await ofAnthropic("chat-completions/telling")).toMatchObject({ errorCode: null, details: null });
    expect((await ofOpenai("chat", "responses/telling")).param).toBe(null);
    expect((await ofOpenai("responses", "messages/telling")).param).toBe(null);
  });
});
