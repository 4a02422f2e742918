import { describe, expect, test } from "bun:test";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { responses } from "./client.ts";

const HELLO = { model: "acme/swift", input: "Hello" };
const NO_HEADERS = new Headers();

function read(body: unknown): ClientRequest {
  return responses.readRequest(typeof body === "string" ? body : JSON.stringify(body), NO_HEADERS);
}

function refusal(body: unknown): GatewayError {
  try {
    read(body);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

function withItems(...input: unknown[]) {
  return { model: "acme/swift", input };
}

function withBlocks(...content: unknown[]) {
  return withItems({ type: "message", role: "user", content });
}

describe("a request", () => {
  test("is read into what the pipeline needs", () => {
    const body = { ...HELLO, stream: true, max_output_tokens: 50 };
    const text = JSON.stringify(body);
    expect(read(text)).toMatchObject({
      protocol: "responses",
      model: "acme/swift",
      stream: true,
      output_cap: 50,
      choices: 1,
      text,
      body,
    });
  });

  test("is not streamed and has no output cap unless it asks for them", () => {
    for (const body of [HELLO, { ...HELLO, stream: false }, { ...HELLO, stream: null, max_output_tokens: null }]) {
      expect(read(body)).toMatchObject({ stream: false, output_cap: null });
    }
  });

  test("has an input bound from its bytes, with a fixed bound for each image", () => {
    const image = { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(3_000_000)}` };
    expect(read(withBlocks(image)).input_bound_tokens).toBeLessThan(10_000);
    expect(read({ ...HELLO, input: "x".repeat(5000) }).input_bound_tokens).toBeGreaterThanOrEqual(5000);
  });
});

describe("input that the vendor adds from its store", () => {
  const plain = read(HELLO).input_bound_tokens;

  test.each([
    { ...HELLO, previous_response_id: "resp_1" },
    { ...HELLO, conversation: { id: "conv_1" } },
    { ...HELLO, prompt: { id: "pmpt_1" } },
    withItems({ type: "item_reference", id: "msg_1" }),
    withItems({ id: "msg_1" }),
  ])("is bounded by the largest context: %j", (body) => {
    expect(read(body).input_bound_tokens).toBeGreaterThan(1_000_000);
  });

  test.each([
    { ...HELLO, previous_response_id: null },
    withItems({ role: "user", content: "Hi" }),
    withItems({ type: "reasoning", id: "rs_1", summary: [] }),
  ])("adds nothing to the bound where the request refers to none: %j", (body) => {
    expect(read(body).input_bound_tokens).toBeLessThan(plain + 200);
  });
});

/** Requests that real clients send, with fields of docs/api.md 4.2 and beyond it. */
const ACCEPTED: Readonly<Record<string, unknown>> = {
  "text as input": HELLO,
  "no input, which a stored prompt may contain": { model: "acme/swift", prompt: { id: "pmpt_1" } },
  "all parameters": {
    ...HELLO,
    instructions: "Be brief.",
    temperature: 1,
    top_p: 0.5,
    safety_identifier: "u",
    user: "u",
    metadata: { a: "b" },
    reasoning: { effort: "xhigh", summary: "auto" },
    text: { format: { type: "json_schema", name: "x", schema: {} }, verbosity: "low" },
  },
  "null for every optional parameter": {
    ...HELLO,
    instructions: null,
    max_output_tokens: null,
    temperature: null,
    top_p: null,
    tools: null,
    tool_choice: null,
    reasoning: null,
    safety_identifier: null,
    metadata: null,
    stream: null,
    user: null,
  },
  "messages of every role": withItems(
    { type: "message", role: "developer", content: "Be brief." },
    { type: "message", role: "system", content: "Be kind." },
    { role: "user", content: [{ type: "input_text", text: "Hi" }] },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "final_answer",
      content: [
        { type: "output_text", text: "Hello", annotations: [] },
        { type: "refusal", refusal: "No" },
      ],
    },
  ),
  "images and files": withBlocks(
    { type: "input_image", image_url: "https://images.example/a.png", detail: "high" },
    { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: null },
    { type: "input_image", file_id: "file_1", image_url: null },
    { type: "input_file", file_id: "file_1" },
    { type: "input_file", file_url: "https://files.example/a.pdf" },
    { type: "input_file", file_data: "aGk=", filename: "a.txt" },
  ),
  "a call and its output": withItems(
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "now", arguments: "{}", status: "completed" },
    { type: "function_call_output", call_id: "call_1", output: "06:12" },
    { type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "06:12" }] },
  ),
  "a custom tool's call and its output": withItems(
    { type: "custom_tool_call", call_id: "call_1", name: "shell", input: "ls" },
    { type: "custom_tool_call_output", call_id: "call_1", output: "a.txt" },
  ),
  "sealed reasoning": withItems({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }),
  "references to items": withItems({ type: "item_reference", id: "msg_1" }, { id: "rs_1" }, { type: null, id: "fc_1" }),
  "calls of hosted tools": withItems(
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
    { type: "local_shell_call", call_id: "c", action: { type: "exec" }, status: "completed" },
    { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot" } },
    { type: "mcp_approval_response", approval_request_id: "m", approve: true },
    { type: "compaction", encrypted_content: "gAAA" },
  ),
  "an unknown item type": withItems({ type: "hologram", content: [{ type: "light" }, 7] }),
  "an unknown block type": withBlocks({ type: "input_scent", note: "pine" }),
  "tools of every kind": {
    ...HELLO,
    tools: [
      { type: "function", name: "now", description: "The time", parameters: { type: "object" }, strict: true },
      { type: "function", name: "bare", parameters: null, strict: null, description: null },
      { type: "custom", name: "shell", format: { type: "text" } },
      { type: "web_search", search_context_size: "low" },
      { type: "mcp", server_label: "x", server_url: "https://mcp.example" },
      { type: "image_generation", model: "gpt-image-2" },
      { type: "tool_of_tomorrow" },
    ],
  },
  "a named function as choice": { ...HELLO, tool_choice: { type: "function", name: "now" } },
  "a hosted tool as choice": { ...HELLO, tool_choice: { type: "web_search" } },
  "a set of allowed tools": { ...HELLO, tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } },
  "fields outside the supported surface, for the vendor to judge": {
    ...HELLO,
    previous_response_id: "resp_1",
    conversation: "conv_1",
    store: true,
    background: false,
    include: ["reasoning.encrypted_content", "web_search_call.results"],
    prompt_cache_key: "k",
    prompt_cache_retention: "24h",
    context_management: [{ type: "compaction" }],
    max_tool_calls: 3,
    service_tier: "flex",
    verbosity: "low",
    stream_options: { include_obfuscation: false },
    parallel_tool_calls: false,
    client_metadata: { x: "y" },
  },
};

for (const choice of ["auto", "none", "required"]) {
  Object.assign(ACCEPTED, { [`the tool choice ${choice}`]: { ...HELLO, tool_choice: choice } });
}
for (const effort of ["none", "minimal", "low", "medium", "high", "xhigh", null]) {
  Object.assign(ACCEPTED, { [`the effort ${effort}`]: { ...HELLO, reasoning: { effort } } });
}

describe("accepted:", () => {
  test.each(Object.entries(ACCEPTED))("%s", (_name, body) => {
    expect(read(body).body).toEqual(body as Record<string, unknown>);
  });
});

/** Body, parameter and message of each refusal; the code of all is `invalid_responses_input` (docs/api.md 7.2). */
const REFUSED: Readonly<Record<string, readonly [body: unknown, param: string, words: RegExp]>> = {
  "no model": [{ input: "Hi" }, "model", /'model' is missing/],
  "an empty model": [{ ...HELLO, model: "" }, "model", /at least 1/],
  "a model that is a number": [{ ...HELLO, model: 5 }, "model", /the number 5; allowed: a string/],
  "input that is a number": [{ ...HELLO, input: 5 }, "input", /the number 5; allowed: a string, an array or null/],
  "input that is an object": [{ ...HELLO, input: {} }, "input", /an object; allowed: a string/],
  "an item that is text": [withItems("Hi"), "input[0]", /the string "Hi"; allowed: an object/],
  "an item without a type": [withItems({ content: "Hi" }), "input[0].type", /missing; allowed: the item's type/],
  "an item whose type is a number": [withItems({ type: 7, id: "x" }), "input[0].type", /the number 7/],
  "an unknown role": [
    withItems({ type: "message", role: "tool", content: "x" }),
    "input[0].role",
    /"tool"; allowed: "user", "assistant", "system" or "developer"/,
  ],
  "a message without a role": [withItems({ type: "message", content: "x" }), "input[0].role", /missing/],
  "a message without content": [withItems({ role: "user" }), "input[0].content", /missing/],
  "content that is a number": [withItems({ role: "user", content: 3 }), "input[0].content", /the number 3/],
  "a block without a type": [withBlocks({ text: "x" }), "input[0].content[0].type", /missing/],
  "a block that is text": [withBlocks("x"), "input[0].content[0]", /allowed: an object/],
  "a text block without text": [withBlocks({ type: "input_text" }), "input[0].content[0].text", /missing/],
  "an image without any source": [withBlocks({ type: "input_image" }), "input[0].content[0].image_url", /missing/],
  "an image's URL as an object": [
    withBlocks({ type: "input_image", image_url: { url: "https://a.example" } }),
    "input[0].content[0].image_url",
    /an object; allowed: a string/,
  ],
  "a file without any source": [withBlocks({ type: "input_file" }), "input[0].content[0].file_id", /missing/],
  "a call without its id": [
    withItems({ type: "function_call", name: "a", arguments: "{}" }),
    "input[0].call_id",
    /missing/,
  ],
  "a call without a name": [
    withItems({ type: "function_call", call_id: "c", arguments: "{}" }),
    "input[0].name",
    /missing/,
  ],
  "a call's arguments as an object": [
    withItems({ type: "function_call", call_id: "c", name: "a", arguments: {} }),
    "input[0].arguments",
    /an object; allowed: a string/,
  ],
  "an output without its call": [
    withItems({ type: "custom_tool_call_output", output: "x" }),
    "input[0].call_id",
    /missing/,
  ],
  "an output without content": [
    withItems({ type: "function_call_output", call_id: "c" }),
    "input[0].output",
    /missing/,
  ],
  "an output that is an object": [
    withItems({ type: "function_call_output", call_id: "c", output: {} }),
    "input[0].output",
    /an object; allowed: a string or an array/,
  ],
  "a bad block in an output": [
    withItems({ type: "function_call_output", call_id: "c", output: [{ type: "input_text" }] }),
    "input[0].output[0].text",
    /missing/,
  ],
  "reasoning without a summary": [withItems({ type: "reasoning", id: "r" }), "input[0].summary", /missing/],
  "a reference without an id": [withItems({ type: "item_reference" }), "input[0].id", /missing/],
  "instructions as an array": [{ ...HELLO, instructions: [] }, "instructions", /array; allowed: a string/],
  "a cap of 0": [{ ...HELLO, max_output_tokens: 0 }, "max_output_tokens", /at least 1/],
  "a fractional cap": [{ ...HELLO, max_output_tokens: 1.5 }, "max_output_tokens", /whole number/],
  "a temperature that is text": [{ ...HELLO, temperature: "hot" }, "temperature", /a number/],
  "a top_p that is text": [{ ...HELLO, top_p: "all" }, "top_p", /a number/],
  "tools as an object": [{ ...HELLO, tools: {} }, "tools", /an array/],
  "a tool without a type": [{ ...HELLO, tools: [{ name: "a" }] }, "tools[0].type", /missing/],
  "a tool in the shape of chat completions": [
    { ...HELLO, tools: [{ type: "function", function: { name: "a" } }] },
    "tools[0].name",
    /'tools\[0\].name' is missing/,
  ],
  "a tool's parameters as text": [
    { ...HELLO, tools: [{ type: "function", name: "a", parameters: "{}" }] },
    "tools[0].parameters",
    /allowed: an object or null/,
  ],
  "a strict that is text": [
    { ...HELLO, tools: [{ type: "function", name: "a", strict: "yes" }] },
    "tools[0].strict",
    /allowed: true/,
  ],
  "a custom tool without a name": [{ ...HELLO, tools: [{ type: "custom" }] }, "tools[0].name", /missing/],
  "an unknown tool choice": [{ ...HELLO, tool_choice: "any" }, "tool_choice", /"any"; allowed: "auto", "none"/],
  "a tool choice without a name": [{ ...HELLO, tool_choice: { type: "function" } }, "tool_choice.name", /missing/],
  "an effort that is no word": [{ ...HELLO, reasoning: { effort: 3 } }, "reasoning.effort", /a string or null/],
  "reasoning as text": [{ ...HELLO, reasoning: "high" }, "reasoning", /an object or null/],
  "metadata as an array": [{ ...HELLO, metadata: [] }, "metadata", /an object or null/],
  "a safety identifier that is a number": [{ ...HELLO, safety_identifier: 5 }, "safety_identifier", /a string or null/],
  "a user that is a number": [{ ...HELLO, user: 5 }, "user", /a string or null/],
  "a stream that is text": [{ ...HELLO, stream: "yes" }, "stream", /allowed: true/],
};

describe("refused as invalid input:", () => {
  test.each(Object.entries(REFUSED))("%s", (_name, [body, param, words]) => {
    const error = refusal(body);
    expect(error.code).toBe("invalid_responses_input");
    expect(error.row).toMatchObject({ status: 400, type_a: "invalid_request_error" });
    expect(error.param).toBe(param);
    expect(error.message).toMatch(words);
  });
});

describe("refused as invalid JSON:", () => {
  test.each([
    ["malformed text", '{"model":', null],
    ["an empty body", "", null],
    ["an array", "[]", null],
    ["a member that occurs twice", '{"model":"a","input":"x","model":"b"}', "model"],
  ])("%s", (_name, text, param) => {
    expect(refusal(text)).toMatchObject({ code: "invalid_json", param });
  });
});
