import { describe, expect, test } from "bun:test";
import type { ClientRequest, RecalledItem } from "../../../src/core/answer/exchange.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { readCountRequest } from "../../../src/protocols/messages/client.ts";
import { relayCount } from "../../../src/protocols/messages/count-tokens.ts";
import { findVendorReference } from "../../../src/protocols/shared/vendor-state.ts";
import { targetFor } from "../../support/target.ts";

type Body = Readonly<Record<string, unknown>>;
const NO_HEADERS = { get: (name: string) => (name === "anthropic-version" ? "2023-06-01" : null) };

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const item = (content: unknown) => ({ input: [{ type: "message", role: "user", content }] });
const text = { type: "text", text: "hello" };

/** What a request may not name, by protocol: a body's members, and the place that the error names. */
const CASES: readonly (readonly [keyof typeof clientProtocols, string, Body, string])[] = [
  [
    "chat.completions",
    "a file",
    user([text, { type: "file", file: { file_id: "file-1" } }]),
    "messages[0].content[1].file.file_id",
  ],
  [
    "chat.completions",
    "a place in Google's storage",
    user([{ type: "image_url", image_url: { url: "gs://private/x.png" } }]),
    "messages[0].content[0].image_url.url",
  ],
  [
    "chat.completions",
    "a place in Amazon's storage",
    user([{ type: "image_url", image_url: { url: " S3://private/x.png" } }]),
    "messages[0].content[0].image_url.url",
  ],
  [
    "chat.completions",
    "a vendor's own scheme",
    user([{ type: "image_url", image_url: { url: "ms://file-1" } }]),
    "messages[0].content[0].image_url.url",
  ],
  [
    "chat.completions",
    "Google's file service",
    user([{ type: "image_url", image_url: { url: "https://GENERATIVELANGUAGE.googleapis.com/v1beta/files/abc" } }]),
    "messages[0].content[0].image_url.url",
  ],
  ["chat.completions", "a file by its text", user("fileid://file-fe-1"), "messages[0].content"],
  [
    "chat.completions",
    "an earlier answer's audio",
    {
      messages: [
        { role: "assistant", audio: { id: "audio_1" } },
        { role: "user", content: "on" },
      ],
    },
    "messages[0].audio.id".slice(0, -3),
  ],
  [
    "chat.completions",
    "a cache",
    { ...user("x"), extra_body: { google: { cached_content: "cachedContents/1" } } },
    "extra_body.google.cached_content",
  ],
  ["chat.completions", "a stored response", { ...user("x"), previous_response_id: "resp_1" }, "previous_response_id"],
  [
    "messages",
    "a file in a picture",
    user([{ type: "image", source: { type: "file", file_id: "file_1" } }]),
    "messages[0].content[0].source.file_id",
  ],
  [
    "messages",
    "a file in a tool's result",
    user([
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "image", source: { type: "file", file_id: "file_1" } }],
      },
    ]),
    "messages[0].content[0].content[0].source.file_id",
  ],
  [
    "messages",
    "a file for a container",
    user([{ type: "container_upload", file_id: "file_1" }]),
    "messages[0].content[0].file_id",
  ],
  ["messages", "a container", { ...user("x"), container: "container_1" }, "container"],
  ["messages", "a container with skills", { ...user("x"), container: { id: "container_1", skills: [] } }, "container"],
  [
    "messages",
    "a skill of somebody's",
    { ...user("x"), container: { skills: [{ type: "custom", skill_id: "skill_1" }] } },
    "container.skills[0].skill_id",
  ],
  ["responses", "a conversation", { input: "x", conversation: "conv_1" }, "conversation"],
  ["responses", "a conversation's object", { input: "x", conversation: { id: "conv_1" } }, "conversation"],
  ["responses", "a stored prompt", { input: "x", prompt: { id: "pmpt_1", variables: {} } }, "prompt"],
  ["responses", "an earlier response", { input: "x", previous_response_id: "resp_1" }, "previous_response_id"],
  ["responses", "a stored item", { input: [{ type: "item_reference", id: "msg_1" }] }, "input[0]"],
  ["responses", "a stored item without a type", { input: [{ id: "msg_1" }] }, "input[0]"],
  ["responses", "a picture by its id", { input: [{ type: "image_generation_call", id: "ig_1" }] }, "input[0]"],
  ["responses", "a file", item([{ type: "input_file", file_id: "file-1" }]), "input[0].content[0].file_id"],
  ["responses", "a picture's file", item([{ type: "input_image", file_id: "file-1" }]), "input[0].content[0].file_id"],
  [
    "responses",
    "a file in a tool's output",
    { input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image", file_id: "file-1" }] }] },
    "input[0].output[0].file_id",
  ],
  [
    "responses",
    "a vector store",
    { input: "x", tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
    "tools[0].vector_store_ids",
  ],
  [
    "responses",
    "a tunnel to a server of the operator's",
    { input: "x", tools: [{ type: "mcp", server_label: "l", tunnel_id: "tun_1" }] },
    "tools[0].tunnel_id",
  ],
  [
    "responses",
    "a response to compare with",
    { input: "x", prompt_cache_options: { comparison_response_id: "resp_1" } },
    "prompt_cache_options.comparison_response_id",
  ],
  [
    "responses",
    "a tool's container",
    { input: "x", tools: [{ type: "code_interpreter", container: "cntr_1" }] },
    "tools[0].container",
  ],
  [
    "responses",
    "a tool's files",
    { input: "x", tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file-1"] } }] },
    "tools[0].container.file_ids",
  ],
  [
    "responses",
    "a mask's file",
    { input: "x", tools: [{ type: "image_generation", input_image_mask: { file_id: "file-1" } }] },
    "tools[0].input_image_mask.file_id",
  ],
];

/** The client's own data, in which any name may stand, and what names nothing. */
const FINE: readonly (readonly [keyof typeof clientProtocols, string, Body])[] = [
  [
    "chat.completions",
    "a tool's parameter",
    {
      ...user("x"),
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            parameters: { type: "object", properties: { file_id: { type: "string" }, container: { const: "c" } } },
          },
        },
      ],
    },
  ],
  ["chat.completions", "metadata", { ...user("x"), metadata: { file_id: "mine" } }],
  [
    "chat.completions",
    "pictures of the open web",
    user([
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ]),
  ],
  ["chat.completions", "a choice of audio", { ...user("x"), audio: { voice: "alloy", format: "wav" } }],
  ["chat.completions", "text that speaks of it", user("file_id: file-1, see gs://x and container_1")],
  [
    "messages",
    "a call's input",
    {
      messages: [
        { role: "user", content: "x" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t", name: "f", input: { file_id: "mine", container: "mine" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
      ],
    },
  ],
  [
    "messages",
    "the vendor's own skill",
    { ...user("x"), container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } },
  ],
  [
    "responses",
    "an automatic container",
    { input: "x", tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
  ],
  [
    "responses",
    "what a text cites",
    {
      input: [
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "a", annotations: [{ type: "file_citation", file_id: "file-1" }] }],
        },
        { role: "user", content: "on" },
      ],
    },
  ],
  [
    "responses",
    "members without a value",
    { input: "x", conversation: null, prompt: null, previous_response_id: null },
  ],
  [
    "responses",
    "a sealed item with its id",
    {
      input: [
        { type: "reasoning", id: "rs_1", encrypted_content: "abc", summary: [] },
        { role: "user", content: "x" },
      ],
    },
  ],
];

function read(endpoint: keyof typeof clientProtocols, body: Body): ClientRequest {
  const required = endpoint === "messages" ? { max_tokens: 10 } : {};
  return clientProtocols[endpoint].readRequest(
    JSON.stringify({ model: "acme/swift", ...required, ...body }),
    NO_HEADERS,
  );
}

/** What a way says to a request; null where it takes it. A refusal for another reason counts as taken. */
function refusedAt(request: ClientRequest, vendor: Protocol, shared_state?: "allow"): GatewayError | null {
  const target = targetFor(vendor);
  const at = { ...target, vendor: { ...target.vendor, ...(shared_state && { shared_state }) } };
  try {
    adapterBetween(request.protocol, vendor)?.prepare(request, at, NO_HEADERS);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return thrown.message.includes("all accounts of this gateway are one customer") ? thrown : null;
  }
}

const VENDORS: readonly Protocol[] = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"];

describe.each(VENDORS)("on every way to a vendor of %s", (vendor) => {
  test.each(CASES)("%s: %s is refused, and relayed where the vendor's row allows it", (endpoint, _, body, place) => {
    const request = read(endpoint, body);
    const refused = refusedAt(request, vendor);
    expect(refused?.param).toBe(place);
    expect(refused?.row.status).toBe(400);
    expect(refusedAt(request, vendor, "allow")).toBeNull();
  });

  test.each(FINE)("%s: %s is taken", (endpoint, _, body) => {
    expect(refusedAt(read(endpoint, body), vendor)).toBeNull();
  });
});

test("counting tokens names no file of the vendor's either", () => {
  const body = user([{ type: "image", source: { type: "file", file_id: "file_1" } }]);
  const request = readCountRequest(JSON.stringify({ model: "acme/swift", ...body }), NO_HEADERS);
  expect(() => relayCount(request, targetFor("messages"), NO_HEADERS)).toThrow("file_id");
});

/** Replayed items that name what a vendor keeps, with what else they say. */
const REPLAYED: readonly (readonly [string, Body, string])[] = [
  ["code_interpreter_call", { id: "secret", container_id: "secret", code: "print(42)", outputs: [] }, "print(42)"],
  ["file_search_call", { id: "secret", queries: ["how"], results: [{ file_id: "secret", text: "so" }] }, "how"],
  [
    "computer_call_output",
    { call_id: "secret", output: { type: "computer_screenshot", file_id: "secret" } },
    "screenshot",
  ],
  ["shell_call", { call_id: "secret", action: { commands: ["ls"] }, environment: { container_id: "secret" } }, "ls"],
];

describe.each(REPLAYED)("a replayed %s that names what its vendor keeps", (type, members, said) => {
  const request = read("responses", {
    input: [
      { role: "user", content: "x" },
      { type, ...members },
      { role: "user", content: "y" },
    ],
  });

  test.each(VENDORS)("is carried as text without its ids on the way to a vendor of %s, and named", (vendor) => {
    const exchange = adapterBetween("responses", vendor)?.prepare(request, targetFor(vendor), NO_HEADERS);
    expect(exchange?.body).toContain(said);
    expect(exchange?.body).toContain(`[${type}: {`);
    expect(exchange?.body).not.toContain("secret");
    expect(exchange?.ignored).toEqual([`input.${type}`]);
  });

  test("is relayed as it came where the vendor's row allows it", () => {
    const target = targetFor("responses");
    const at = { ...target, vendor: { ...target.vendor, shared_state: "allow" as const } };
    const exchange = adapterBetween("responses", "responses")?.prepare(request, at, NO_HEADERS);
    expect(exchange?.body).toContain(JSON.stringify({ type, ...members }));
  });
});

test("what the gateway recalled for the account goes back to the vendor that made it, and to no other", () => {
  const made = { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "" };
  const request = read("responses", { input: [made] });
  const sentTo = (vendor: string): string | undefined => {
    const [item] = request.body.input as readonly unknown[];
    const recalled = new Map<unknown, RecalledItem>([[item, { vendor, response_key: "k" }]]);
    const sent = { items: [], text: "[]" };
    const memory = { stores: true, previous_response_id: null, recalled, sent, used_keys: [] };
    const way = adapterBetween("responses", "responses");
    return way?.prepare({ ...request, memory }, targetFor("responses"), NO_HEADERS).body;
  };
  expect(sentTo("acme")).toContain(JSON.stringify(made));
  expect(sentTo("other")).not.toContain("cntr_1");
});

test("a body that is nested too deep is refused, whatever is in it", () => {
  let deep: Body = { file_id: "x" };
  for (let level = 0; level < 200_000; level++) deep = { a: level % 2 === 0 ? deep : [deep] };
  expect(() => findVendorReference(deep, () => false)).toThrow("512 levels");
});
