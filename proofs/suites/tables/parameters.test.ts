import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, GENERATION, type GenerationName, type Json } from "../../support/calls.ts";
import { quoted, sectionOf, tableRows } from "../../support/documented-errors.ts";
import { PRICE, type SimulatedGateway, startSimulatedGateway, THINKING } from "../../support/simulated-gateway.ts";

/**
 * docs/api.md 4.1 to 4.3: every parameter is taken as its row says and reaches the vendor, and a value of another kind is
 * refused with the endpoint's code and the field's name.
 */

let simulated: SimulatedGateway;
let caller: Caller;

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: {
      // The model thinks, sees, calls tools and writes JSON, and its vendor refuses nothing: every parameter is passed on.
      "acme/all": {
        ...THINKING,
        upstream_model: "everything@like=any",
        input_modalities: ["text", "image"],
        // Without a price neither would be relayed (docs/rulings.md 144).
        price: { ...PRICE, calls: { web_search: 10 }, service_tiers: { flex: { input: 1, output: 2 } } },
        capabilities: { ...("capabilities" in THINKING ? (THINKING.capabilities as object) : {}), vision: true },
      },
      "acme/plain": { upstream_model: "echo", capabilities: { thinking: false, json: false } },
      "acme/stop": {},
      "chatty/echo": {},
      "wordy/echo": {},
    },
    // Otherwise what names files and conversations of the vendor would be refused (docs/rulings.md 149).
    vendor: { forwards_safety_identifier: true, shared_state: "allow" },
  });
  const key = await simulated.gateway.newKey({ credit: "1000", aliases: [{ name: "fast", model: "acme/all" }] });
  caller = new Caller(simulated.gateway, key.key);
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

const vendorSaw = (): Json => simulated.simulator.log.last?.body as Json;

/** A parameter's row: values that are accepted, the vendor's values where they differ, and values that are refused. */
interface Parameter {
  readonly required?: true;
  readonly taken: readonly unknown[];
  /** The vendor's value, where it differs from the client's. */
  readonly seen?: (value: unknown) => unknown;
  readonly refused: readonly unknown[];
  /** The code of a refusal. Default: the endpoint's general code. */
  readonly code?: string;
  /** Other fields that the parameter needs. */
  readonly beside?: Json;
}

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const TEXT = "a text";
const NUMBER: Parameter = { taken: [0, 0.5, 1], refused: ["0.5", [], {}] };
const CAP: Parameter = { taken: [1, 500], refused: [0, -1, 1.5, "100"] };
const USER_ID: Parameter = { taken: ["user-1"], refused: [1, {}] };
const OBJECT: Parameter = { taken: [{ a: "b" }], refused: [TEXT, 1, []] };
const BOOLEAN: Parameter = { taken: [true, false], refused: ["true", 1] };
const WORD: Parameter = { taken: ["auto"], refused: [1, {}] };
const MODEL: Parameter = {
  required: true,
  taken: ["acme/all", "fast"],
  seen: () => "everything@like=any",
  refused: ["", 1, null],
};

const chat_tool = { type: "function", function: { name: "f", description: "d", parameters: SCHEMA, strict: true } };
const flat_tool = { type: "function", name: "f", description: "d", parameters: SCHEMA, strict: true };
const named_tool = { name: "f", description: "d", input_schema: SCHEMA };
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"];

const PARAMETERS: Record<GenerationName, Record<string, Parameter>> = {
  chat: {
    model: MODEL,
    messages: {
      required: true,
      taken: [[{ role: "user", content: TEXT }]],
      refused: [[], TEXT, {}, [TEXT]],
      code: "invalid_messages",
    },
    stream: BOOLEAN,
    stream_options: {
      taken: [{ include_usage: true }, { include_usage: false }],
      // The gateway always asks for the usage, since it bills by it.
      seen: () => ({ include_usage: true }),
      refused: [TEXT, [], { include_usage: "yes" }],
      beside: { stream: true },
    },
    max_completion_tokens: CAP,
    max_tokens: { ...CAP, seen: () => undefined },
    temperature: NUMBER,
    top_p: NUMBER,
    stop: { taken: ["END", ["END", "STOP"]], refused: [1, {}, [1]] },
    tools: { taken: [[chat_tool], [{ type: "function", function: { name: "f" } }]], refused: [TEXT, {}, [{}], [TEXT]] },
    tool_choice: {
      taken: ["auto", "none", "required", { type: "function", function: { name: "f" } }],
      refused: ["always", 1, { type: "function" }],
      beside: { tools: [chat_tool] },
    },
    reasoning_effort: { taken: EFFORTS, refused: ["extreme", 1, "HIGH"] },
    safety_identifier: USER_ID,
    user: USER_ID,
    presence_penalty: NUMBER,
    frequency_penalty: NUMBER,
    response_format: { taken: [{ type: "json_object" }, { type: "text" }], refused: [TEXT, {}, []] },
    parallel_tool_calls: BOOLEAN,
    n: { taken: [1], refused: [0, 129, "2", 1.5] },
    logprobs: BOOLEAN,
    top_logprobs: { taken: [0, 5], refused: [-1, "5"], beside: { logprobs: true } },
    modalities: { taken: [["text"]], refused: [TEXT, [1]] },
    audio: OBJECT,
    prediction: OBJECT,
    seed: { taken: [7], refused: [0.5, "7"] },
    metadata: OBJECT,
    store: BOOLEAN,
    service_tier: WORD,
    verbosity: { taken: ["low"], refused: [1, []] },
    web_search_options: OBJECT,
  },
  responses: {
    model: MODEL,
    input: {
      taken: [
        TEXT,
        [{ role: "user", content: TEXT }],
        [
          { type: "message", role: "developer", content: [{ type: "input_text", text: TEXT }] },
          { role: "user", content: TEXT },
        ],
      ],
      refused: [1, {}, [TEXT]],
    },
    instructions: { taken: [TEXT], refused: [1, []] },
    max_output_tokens: { ...CAP, taken: [16, 500] },
    temperature: NUMBER,
    top_p: NUMBER,
    tools: {
      taken: [[flat_tool], [{ type: "function", name: "f" }]],
      refused: [TEXT, {}, [{}], [{ type: "function" }]],
    },
    tool_choice: {
      taken: ["auto", "none", "required", { type: "function", name: "f" }],
      refused: ["always", 1, { type: "function" }],
      beside: { tools: [flat_tool] },
    },
    reasoning: { taken: EFFORTS.map((effort) => ({ effort })), refused: [TEXT, { effort: "extreme" }, { effort: 1 }] },
    safety_identifier: USER_ID,
    metadata: OBJECT,
    stream: BOOLEAN,
    user: USER_ID,
    store: BOOLEAN,
    previous_response_id: { taken: [null], refused: [1, {}] },
  },
  messages: {
    model: MODEL,
    messages: {
      required: true,
      taken: [[{ role: "user", content: TEXT }], [{ role: "user", content: [{ type: "text", text: TEXT }] }]],
      refused: [[], TEXT, {}, [{ role: "system", content: TEXT }], [{ role: "user" }]],
    },
    max_tokens: { required: true, taken: [1, 500], refused: [0, -1, 1.5, "100", null] },
    system: { taken: [TEXT, [{ type: "text", text: TEXT }]], refused: [1, {}, [{ type: "image" }]] },
    temperature: NUMBER,
    top_p: NUMBER,
    top_k: { taken: [5], refused: [0.5, "5"] },
    stop_sequences: { taken: [["END"]], refused: ["END", [1]] },
    tools: { taken: [[named_tool], [{ name: "f", input_schema: SCHEMA }]], refused: [TEXT, {}, [{}], [{ name: "" }]] },
    tool_choice: {
      taken: [{ type: "auto" }, { type: "any" }, { type: "none" }, { type: "tool", name: "f" }],
      refused: ["auto", { type: "always" }, { type: "tool" }],
      beside: { tools: [named_tool] },
    },
    metadata: { taken: [{ user_id: "user-1" }], refused: [TEXT, []] },
    thinking: {
      taken: [{ type: "enabled", budget_tokens: 1024 }, { type: "disabled" }, { type: "adaptive" }],
      refused: [TEXT, { type: "enabled" }, { type: "sometimes" }],
      beside: { max_tokens: 2000 },
    },
    stream: BOOLEAN,
  },
};

const SECTIONS = { chat: "4.1", responses: "4.2", messages: "4.3" } as const;
const GENERAL_CODES = {
  chat: "unsupported_parameter",
  responses: "invalid_responses_input",
  messages: "invalid_request",
} as const;

/** The names in the section's first table, and which of them are required. */
function documented(name: GenerationName): { names: string[]; required: string[] } {
  const section = sectionOf(new RegExp(`^### ${SECTIONS[name].replace(".", "\\.")} `, "m"));
  const [table = ""] = section.slice(section.indexOf("| Parameter")).split("\n\n");
  const rows = tableRows(table).filter(([cell = ""]) => cell.includes("`"));
  // Chat's extended parameters stand in a sentence.
  const sentence = /supports them: (.*?)\. What/s.exec(section)?.[1] ?? "";
  return {
    names: [...rows.flatMap(([cell = ""]) => quoted(cell)), ...quoted(sentence)],
    required: rows.filter((row) => row[2] === "yes").flatMap(([cell = ""]) => quoted(cell)),
  };
}

describe.each(Object.keys(PARAMETERS) as GenerationName[])("%s", (name) => {
  const { path, body, style } = GENERATION[name];
  const rows = Object.entries(PARAMETERS[name]);

  test("these are the document's parameters, all of them", () => {
    expect(Object.keys(PARAMETERS[name]).sort()).toEqual(documented(name).names.sort());
    expect(rows.filter(([, row]) => row.required).map(([field]) => field)).toEqual(documented(name).required);
  });

  async function expectRefused(sent: object, field: string, code: string): Promise<void> {
    const { status, error } = await caller.post(path, sent);
    expect({ status, type: error.type }).toEqual({ status: 400, type: "invalid_request_error" });
    expect(error.message).toContain(`'${field}`);
    if (style === "a")
      expect({ code: error.code, param: String(error.param).split(/[.[]/)[0] }).toEqual({ code, param: field });
  }

  test.each(rows)("%s", async (field, { taken, seen, refused, beside = {}, code = GENERAL_CODES[name] }) => {
    for (const value of taken) {
      const { status, text } = await caller.post(path, { ...body("acme/all"), ...beside, [field]: value });
      expect({ value, status, text }).toMatchObject({ value, status: 200 });
      expect(vendorSaw()[field]).toEqual(seen === undefined ? value : seen(value));
    }
    for (const value of refused) await expectRefused({ ...body("acme/all"), ...beside, [field]: value }, field, code);
  });

  test.each(rows.filter(([, { required }]) => required))("%s cannot be left out", async (field, { code }) => {
    const { [field]: _left_out, ...rest } = body("acme/all") as Json;
    await expectRefused(rest, field, code ?? GENERAL_CODES[name]);
  });

  test("fields that are not in the table go to the vendor unchanged", async () => {
    const unknown = { some_new_field: { nested: [1, 2.5, "ü"] }, another: 12345678901234567890n.toString() };
    const { status } = await caller.post(path, { ...body("acme/all"), ...unknown });
    expect(status).toBe(200);
    expect(vendorSaw()).toMatchObject(unknown);
  });
});

describe("chat", () => {
  const ask = (more: Json, model = "acme/all") => caller.generate("chat", model, more);
  const code = async (more: Json): Promise<unknown> => (await ask(more)).error.code;
  const messages = (...list: Json[]) => ({ messages: list });

  test("max_completion_tokens wins over max_tokens", async () => {
    await ask({ max_tokens: 5, max_completion_tokens: 50 });
    expect(vendorSaw()).toMatchObject({ max_completion_tokens: 50 });
    expect(vendorSaw()).not.toHaveProperty("max_tokens");
  });

  test("safety_identifier wins over user", async () => {
    await ask({ safety_identifier: "a", user: "b" });
    expect(vendorSaw()).toMatchObject({ safety_identifier: "a" });
    expect(vendorSaw()).not.toHaveProperty("user");
  });

  test("generation stops at a stop sequence, which is not part of the output", async () => {
    const { json } = await ask({ stop: "END" }, "acme/stop");
    expect(json.choices).toMatchObject([{ finish_reason: "stop", message: { content: "Simulated answer: before" } }]);
  });

  test.each(["system", "developer", "user", "assistant"])("role %s is taken", async (role) => {
    const { status } = await ask(messages({ role, content: "x", name: "ann" }, { role: "user", content: "y" }));
    expect(status).toBe(200);
  });

  test("role tool answers a call of the assistant message before it", async () => {
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const asked = { role: "assistant", content: null, tool_calls: [call] };
    const user = { role: "user", content: "x" };
    const answer = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "42" });
    expect(await code(messages(user, asked, answer("call_1")))).toBeUndefined();
    expect(await code(messages(user, asked, answer("call_2")))).toBe("tool_call_id_mismatch");
    expect(await code(messages(user, answer("call_1")))).toBe("tool_call_id_mismatch");
    expect(await code(messages(user, asked, { role: "tool", content: "42" }))).toBe("invalid_messages");
  });

  test.each([
    ["another role", { role: "critic", content: "x" }, "unsupported_message_role"],
    ["no role", { content: "x" }, "invalid_messages"],
    ["no content", { role: "user" }, "invalid_messages"],
    ["null content without calls", { role: "assistant", content: null }, "invalid_messages"],
    ["a block of no known type", { role: "user", content: [{ type: "smell" }] }, "invalid_messages"],
  ])("a message with %s is refused", async (_what, message, expected) => {
    expect(await code(messages(message))).toBe(expected);
  });

  const BLOCKS: Record<string, { good: Json; bad: Json }> = {
    text: { good: { text: "x" }, bad: { text: 1 } },
    image_url: { good: { image_url: { url: "https://x.example/a.png", detail: "low" } }, bad: { image_url: "x" } },
    input_audio: { good: { input_audio: { data: "AAAA", format: "wav" } }, bad: { input_audio: { data: "AAAA" } } },
    video_url: { good: { video_url: { url: "https://x.example/a.mp4" } }, bad: { video_url: {} } },
    video: { good: { video: ["https://x.example/1.png"] }, bad: {} },
    file: { good: { file: { file_id: "file-1" } }, bad: { file: 1 } },
  };

  test("these are the document's content blocks, all of them", () => {
    const section = sectionOf(/^### 4\.1 /m);
    const [table = ""] = section.slice(section.indexOf("| Content block")).split("\n\n");
    expect(
      tableRows(table)
        .slice(1)
        .map(([cell = ""]) => quoted(cell)[0] ?? ""),
    ).toEqual(Object.keys(BLOCKS));
  });

  test.each(Object.entries(BLOCKS))("content block %s", async (type, { good, bad }) => {
    const block = { type, ...good };
    const { status } = await ask(messages({ role: "user", content: [block, { type: "text", text: "x" }] }));
    expect(status).toBe(200);
    expect(vendorSaw().messages).toMatchObject([{ content: [block, {}] }]);
    expect(await code(messages({ role: "user", content: [{ type, ...bad }] }))).toBe("invalid_messages");
  });

  test("parameters that the model cannot honour are left out and named", async () => {
    const { status, headers } = await ask(
      { reasoning_effort: "high", response_format: { type: "json_object" }, seed: 7 },
      "acme/plain",
    );
    expect(status).toBe(200);
    expect(headers.get("x-camino-ignored")).toBe("response_format, reasoning_effort");
    expect(vendorSaw()).toMatchObject({ seed: 7 });
    expect(vendorSaw()).not.toHaveProperty("reasoning_effort");
    expect((await ask({ seed: 7 }, "acme/plain")).headers.get("x-camino-ignored")).toBeNull();
  });

  test("a body with input and without messages is read as a responses request and answered in chat's shape", async () => {
    const { status, json } = await caller.post("/v1/chat/completions", { model: "acme/all", input: "Hello!" });
    expect({ status, json }).toMatchObject({ status: 200, json: { object: "chat.completion" } });
  });
});

describe("responses", () => {
  const ask = (more: Json, model = "acme/all") => caller.generate("responses", model, more);

  test("input may be left out", async () => {
    const { status } = await caller.post("/v1/responses", { model: "acme/all", instructions: "Say something." });
    expect(status).toBe(200);
  });

  const OUTSIDE: Json = {
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "k",
    prompt_cache_retention: "24h",
    prompt_cache_options: { ttl: "30m" },
    truncation: "auto",
    context_management: [{ type: "compaction" }],
    max_tool_calls: 3,
    service_tier: "flex",
    verbosity: "low",
    stream_options: { include_obfuscation: false },
    parallel_tool_calls: false,
    conversation: "conv_1",
    prompt: { id: "pmpt_1" },
    background: false,
  };

  test("these are the fields outside the supported surface, all of them", () => {
    const sentence = /Outside the supported surface are (.*?)\. They/s.exec(sectionOf(/^### 4\.2 /m))?.[1] ?? "";
    expect(Object.keys(OUTSIDE).sort()).toEqual(quoted(sentence).sort());
  });

  test.each(Object.entries(OUTSIDE))("%s goes through to a vendor that speaks responses", async (field, value) => {
    const before = simulated.simulator.log.total;
    await ask({ [field]: value });
    expect(simulated.simulator.log.total).toBe(before + 1);
    expect(vendorSaw()[field]).toEqual(value);
  });

  const ITEMS: Record<string, { good: Json[]; bad: Json }> = {
    message: { good: [{ role: "user", content: "x" }], bad: { role: "critic", content: "x" } },
    function_call: {
      good: [
        { call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "1" },
      ],
      bad: { call_id: "c", name: "f", arguments: {} },
    },
    function_call_output: {
      good: [],
      bad: { call_id: "c" },
    },
  };

  test.each(Object.entries(ITEMS))("input item %s", async (type, { good, bad }) => {
    if (good.length > 0) {
      const [first, ...rest] = good;
      expect((await ask({ input: [{ type, ...first }, ...rest] })).status).toBe(200);
    }
    const { error } = await ask({ input: [{ type, ...bad }] });
    expect(error).toMatchObject({ code: "invalid_responses_input" });
  });

  test.each([
    ["input_text", { text: "x" }, { text: 1 }],
    ["input_image", { image_url: "https://x.example/a.png", detail: "low" }, { image_url: {} }],
    ["input_file", { file_id: "file-1" }, { file_id: 1 }],
    ["input_file", { file_url: "https://x.example/a.pdf" }, {}],
  ])("content block %s", async (type, good, bad) => {
    const input = (block: Json) => ({ input: [{ role: "user", content: [{ type, ...block }] }] });
    expect((await ask(input(good))).status).toBe(200);
    expect((await ask(input(bad))).error).toMatchObject({ code: "invalid_responses_input" });
  });
});

describe("messages", () => {
  const ask = (more: Json, headers: Record<string, string> = {}, model = "acme/all") =>
    caller.generate("messages", model, more, headers);

  const BLOCKS: Record<string, { good: Json; bad: Json }> = {
    text: { good: { text: "x" }, bad: { text: 1 } },
    image: {
      good: { source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      bad: { source: { type: "base64" } },
    },
    tool_use: { good: { id: "t1", name: "f", input: {} }, bad: { id: "t1", name: "f", input: "x" } },
    tool_result: { good: { tool_use_id: "t1", content: "1", is_error: true }, bad: { tool_use_id: 1 } },
  };

  test("these are the document's content blocks, all of them", () => {
    const section = sectionOf(/^### 4\.3 /m);
    const [table = ""] = section.slice(section.indexOf("| Content block")).split("\n\n");
    expect(
      tableRows(table)
        .slice(1)
        .map(([cell = ""]) => quoted(cell)[0] ?? ""),
    ).toEqual(Object.keys(BLOCKS));
  });

  test.each(Object.entries(BLOCKS))("content block %s", async (type, { good, bad }) => {
    const blocks = Object.fromEntries(
      Object.entries(BLOCKS).map(([name, block]) => [name, { type: name, ...block.good }]),
    );
    const user = { role: "user", content: [blocks.text, blocks.image] };
    const turns = [
      user,
      { role: "assistant", content: [blocks.text, blocks.tool_use] },
      { role: "user", content: [blocks.tool_result] },
    ];
    expect((await ask({ messages: turns })).status).toBe(200);
    expect(JSON.stringify(vendorSaw().messages)).toContain(JSON.stringify({ type, ...good }));
    const { error } = await ask({ messages: [{ role: "user", content: [{ type, ...bad }] }] });
    expect(error).toMatchObject({ type: "invalid_request_error" });
  });

  test("images may be URLs, and documents are refused", async () => {
    const image = { type: "image", source: { type: "url", url: "https://x.example/a.png" } };
    expect((await ask({ messages: [{ role: "user", content: [image] }] })).status).toBe(200);
    const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } };
    const { status, json } = await ask({ messages: [{ role: "user", content: [document] }] });
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { type: "invalid_request_error" } } });
  });

  test.each([
    ["anthropic-version", "2023-06-01", 200],
    ["altstyle-version", "2023-06-01", 200],
    ["anthropic-version", "latest", 400],
    ["altstyle-version", "2023-02-30", 400],
  ])("the version header: %s: %s is %d", async (header, value, status) => {
    const { path, body } = GENERATION.messages;
    const headers = { "anthropic-version": null, [header]: value };
    expect((await caller.post(path, body("acme/all"), headers)).status).toBe(status);
    if (status === 200) expect(simulated.simulator.log.last?.headers["anthropic-version"]).toBe(value);
  });

  test("the version header cannot be left out, and betas go on unchanged", async () => {
    const { path, body } = GENERATION.messages;
    const { status, json } = await caller.post(path, body("acme/all"), { "anthropic-version": null });
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { type: "invalid_request_error" } } });
    await ask({}, { "anthropic-beta": "one-2026-01-01,two-2026-01-01" });
    expect(simulated.simulator.log.last?.headers["anthropic-beta"]).toBe("one-2026-01-01,two-2026-01-01");
  });

  test("counting tokens takes the same body without max_tokens", async () => {
    const { messages } = GENERATION.messages.body("acme/all");
    const { status, json } = await caller.post("/v1/messages/count_tokens", { model: "acme/all", messages });
    expect({ status, json }).toEqual({ status: 200, json: { input_tokens: expect.any(Number) } });
    const estimated = await caller.post("/v1/messages/count_tokens", { model: "chatty/echo", messages });
    expect(estimated.json).toEqual({ input_tokens: expect.any(Number), estimated: true });
  });
});

describe("a model whose vendor speaks another protocol only", () => {
  test.each([
    ["chat", "wordy/echo", { object: "chat.completion" }],
    ["responses", "chatty/echo", { object: "response" }],
    ["messages", "chatty/echo", { type: "message" }],
  ] as const)("answers on %s in the shape that was asked for", async (name, model, shape) => {
    const { status, json } = await caller.generate(name, model);
    expect({ status, json }).toMatchObject({ status: 200, json: { ...shape, model } });
  });
});

test("images are never fetched by the gateway: their addresses go to the vendor", async () => {
  let fetched = 0;
  const pictures = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      fetched += 1;
      return new Response("not a picture");
    },
  });
  const url = `${pictures.url}cat.png`;
  const by_style = {
    chat: { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] },
    responses: { input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] },
    messages: { messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }] },
  };
  for (const [name, body] of Object.entries(by_style)) {
    expect((await caller.generate(name as GenerationName, "acme/all", body)).status).toBe(200);
    expect(simulated.simulator.log.last?.text).toContain(url);
  }
  expect(fetched).toBe(0);
  await pictures.stop(true);
});

describe("the body", () => {
  test.each([
    ["no body at all", ""],
    ["no JSON", "hello"],
    ["JSON that breaks off", '{"model":"acme/all"'],
    ["an array", "[]"],
    ["a string", '"x"'],
  ])("with %s is invalid_json", async (_what, text) => {
    for (const { path } of [GENERATION.chat, GENERATION.responses]) {
      const { status, json } = await caller.post(path, text);
      expect({ status, json }).toMatchObject({ status: 400, json: { error: { code: "invalid_json" } } });
    }
    const { status, json } = await caller.post("/v1/messages", text);
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { type: "invalid_request_error" } } });
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"])(
    "is read as JSON whatever its content type says: %s",
    async (type) => {
      expect((await caller.generate("chat", "acme/all", {}, { "content-type": type })).status).toBe(200);
    },
  );
});
