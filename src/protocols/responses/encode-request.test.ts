import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { GenerationRequest, Message, ToolMessage } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { encodeRequest, responsesTraits } from "./encode-request.ts";

type Body = Record<string, unknown> & { readonly input: readonly Record<string, unknown>[] };

const THINKING = { thinking: true, reasoning: { toggle: true, effort: ["low", "medium", "high"] } } as const;

function encode(request: Partial<GenerationRequest>, options: TargetOptions = {}) {
  const { body, ...rest } = encodeRequest(generation(request), targetFor("responses", options));
  return { ...rest, body: JSON.parse(body) as Body };
}

const call = (id: string, kind: "function" | "custom" = "function"): Message => ({
  role: "assistant",
  content: [{ type: "tool-call", id, name: "look", arguments: "", kind }],
});
const result = (call_id: string, fields: Partial<ToolMessage> = {}): ToolMessage => ({
  role: "tool",
  call_id,
  content: [{ type: "text", text: "ok" }],
  is_error: false,
  ...fields,
});

test("a request asks the vendor to store nothing", () => {
  expect(encode({})).toEqual({
    path: "/responses",
    headers: {},
    ignored: [],
    body: { model: "upstream-1", input: [{ type: "message", role: "user", content: "Hi" }], store: false },
  });
});

describe("instructions", () => {
  const system = (authority: "system" | "developer", ...texts: string[]): Message => ({
    role: "system",
    authority,
    content: texts.map((text) => ({ type: "text", text })),
  });
  const item = (role: string, content: unknown) => ({ type: "message", role, content });

  test("go into their own field where they come first", () => {
    const { body } = encode({ messages: [system("system", "Be brief."), system("system", "And kind."), user("Hi")] });
    expect(body.instructions).toBe("Be brief.");
    expect(body.input).toEqual([item("system", "And kind."), item("user", "Hi")]);
  });

  test("are messages where the vendor lacks the field, or their role is developer", () => {
    const lacking = encode(
      { messages: [system("system", "Be brief.")] },
      { quirks: { unsupported_fields: ["instructions"] } },
    );
    expect(lacking.body).toMatchObject({ input: [item("system", "Be brief.")] });
    expect(lacking.body.instructions).toBeUndefined();
    expect(encode({ messages: [system("developer", "a")] }).body.input).toEqual([item("developer", "a")]);
    const renamed = encode({ messages: [system("developer", "a")] }, { quirks: { no_developer_role: true } });
    expect(renamed.body.input).toEqual([item("system", "a")]);
  });
});

describe("a tool", () => {
  test("is not strict unless the client asks for it, because a strict tool's schema would be changed", () => {
    const { body } = encode({
      tools: [{ kind: "function", name: "look", parameters: { type: "object", properties: {} } }],
    });
    expect(body.tools).toEqual([
      { type: "function", name: "look", parameters: { type: "object", properties: {} }, strict: false },
    ]);
    expect(body.parallel_tool_calls).toBeUndefined();
  });

  test("with free text stays a custom tool, as do its call and result", () => {
    const { body } = encode({
      tools: [{ kind: "custom", name: "look", description: "d", format: { type: "text" } }],
      tool_choice: { mode: "named", name: "look" },
      messages: [call("c1", "custom"), result("c1")],
    });
    expect(body).toMatchObject({
      tools: [{ type: "custom", name: "look", description: "d", format: { type: "text" } }],
      tool_choice: { type: "custom", name: "look" },
      input: [{ type: "custom_tool_call", input: "" }, { type: "custom_tool_call_output" }],
    });
  });

  test("of the vendor's is sent as it came, and is chosen by its type", () => {
    const raw = { type: "web_search", search_context_size: "low" };
    const { body } = encode({
      tools: [{ kind: "hosted", type: "web_search", name: "web_search", raw }],
      tool_choice: { mode: "named", name: "web_search" },
    });
    expect(body).toMatchObject({ tools: [raw], tool_choice: { type: "web_search" } });
  });

  test("is called with an empty object where its call has no arguments", () => {
    expect(encode({ messages: [call("c1")] }).body.input).toMatchObject([{ arguments: "{}" }]);
  });
});

describe("a tool's result", () => {
  const image = { type: "image", source: { kind: "base64", media_type: "image/png", data: "AAAA" } } as const;
  const RESULTS: readonly (readonly [Partial<ToolMessage>, unknown])[] = [
    [{}, "ok"],
    [{ content: [] }, ""],
    [{ is_error: true }, "Error: ok"],
    [{ is_error: true, content: [{ type: "text", text: "Error: no such file" }] }, "Error: no such file"],
    [{ is_error: true, content: [] }, "Error"],
    [{ content: [image] }, [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }]],
    [
      { is_error: true, content: [image] },
      [
        { type: "input_text", text: "Error:" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      ],
    ],
  ];
  test.each(RESULTS)("is sent as text, with a mark where the call failed: %j", (fields, output) => {
    expect(encode({ messages: [call("c1"), result("c1", fields)] }).body.input[1]).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output,
    });
  });
});

describe("documents and media", () => {
  const withPart = (part: unknown) => encode({ messages: [{ role: "user", content: [part] } as never] }).body.input[0];

  test("have a file name, from which the vendor reads their type", () => {
    const document = (media_type: string) => ({
      type: "document",
      source: { kind: "base64", media_type, data: "AAAA" },
    });
    expect(withPart(document("application/pdf"))).toMatchObject({ content: [{ filename: "document.pdf" }] });
    expect(withPart(document("text/plain"))).toMatchObject({ content: [{ filename: "document.txt" }] });
  });

  test("are refused when this protocol has no place for their type", () => {
    const video = { type: "video", source: { kind: "url", url: "https://a.example/v.mp4" } };
    expect(() => withPart(video)).toThrow(GatewayError);
    expect(() => withPart(video)).toThrow(/video.*'messages'/);
  });
});

describe("reasoning", () => {
  const REASONING: readonly (readonly [GenerationRequest["reasoning"], unknown])[] = [
    [undefined, undefined],
    [{ effort: "low" }, { effort: "low" }],
    [{ effort: "xhigh" }, { effort: "high" }],
    [{ effort: "none" }, { effort: "none" }],
    [{ enabled: false }, { effort: "none" }],
    [{ enabled: true }, undefined],
    [{ enabled: true, budget_tokens: 20_000 }, { effort: "medium" }],
    [
      { effort: "low", show: "detailed" },
      { effort: "low", summary: "detailed" },
    ],
    [{ show: "none" }, undefined],
  ];
  test.each(REASONING)("is sent as the effort and summary of the setting: %j", (reasoning, expected) => {
    const { body, ignored } = encode({ ...(reasoning && { reasoning }) }, { capabilities: THINKING });
    expect(body.reasoning).toEqual(expected as never);
    expect(body.include).toEqual(["reasoning.encrypted_content"]);
    expect(ignored).toEqual([]);
  });

  test("is not asked for in encrypted form when the client declines that", () => {
    expect(encode({ reasoning: { want_opaque: false } }, { capabilities: THINKING }).body.include).toBeUndefined();
  });

  test("is left out and reported for a model that does not reason", () => {
    const { body, ignored } = encode({ reasoning: { effort: "high", show: "auto" } });
    expect(body.reasoning).toBeUndefined();
    expect(body.include).toBeUndefined();
    expect(ignored).toEqual(["reasoning"]);
  });

  const opaque = { family: "openai", form: "encrypted", data: "gAAA", id: "rs_1" } as const;
  const SAID = { type: "text", text: "So." } as const;
  const replayed = (parts: Extract<Message, { role: "assistant" }>["content"], options: TargetOptions = {}) =>
    encode({ messages: [{ role: "assistant", content: parts }] }, options).body.input;

  test("goes back encrypted, with its visible text as the summary", () => {
    expect(replayed([{ type: "reasoning", text: "Hm", opaque }, SAID])).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "gAAA" },
      expect.objectContaining({ type: "message" }),
    ]);
  });

  test("is left out when nothing follows it, because vendors refuse it then", () => {
    expect(replayed([SAID, { type: "reasoning", text: "Hm", opaque }])).toEqual([
      expect.objectContaining({ type: "message" }),
    ]);
  });

  test("goes back as text only to vendors that accept text", () => {
    const parts = [{ type: "reasoning", text: "Hm" } as const, SAID];
    const said = {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "So.", annotations: [] }],
    };
    expect(replayed(parts)).toEqual([said]);
    expect(replayed(parts, { quirks: { reasoning_replay: "reasoning_content" } })).toEqual([
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm" }] },
      said,
    ]);
  });
});

describe("settings", () => {
  test("have the names of this protocol", () => {
    const { body } = encode({
      stream: true,
      max_output_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      logprobs: { top: 2 },
      verbosity: "low",
      format: { type: "json-schema", name: "n", schema: { type: "object" } },
      end_user: "u",
      metadata: { a: "b" },
      prompt_cache_key: "k",
      service_tier: "auto",
    });
    expect(body).toMatchObject({
      stream: true,
      max_output_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      top_logprobs: 2,
      include: ["message.output_text.logprobs"],
      text: { verbosity: "low", format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: false } },
      safety_identifier: "u",
      metadata: { a: "b" },
      prompt_cache_key: "k",
      service_tier: "auto",
    });
  });

  test("below the public API's minimum are raised, and reported", () => {
    const { body, ignored } = encode({ max_output_tokens: 1 });
    expect(body.max_output_tokens).toBe(16);
    expect(ignored).toEqual(["max_output_tokens"]);
  });

  test("that the vendor refuses are no trait of it, or are left out and reported", () => {
    const quirks = { unsupported_fields: ["temperature", "safety_identifier", "store", "tool_choice", "model"] };
    const { honours } = responsesTraits(targetFor("responses", { quirks }));
    expect(honours).toMatchObject({ temperature: false, end_user: false, top_p: true, seed: false, names: false });
    const tools = [{ kind: "function", name: "look" } as const];
    const { body, ignored } = encode({ tools, tool_choice: { mode: "required" } }, { quirks });
    expect(body).toMatchObject({ model: "upstream-1", tools: expect.anything() });
    expect(Object.keys(body)).not.toContain("store");
    expect(ignored).toEqual(["tool_choice"]);
  });
});

test("a sound is refused for a model that hears none, in the client's words", () => {
  const sound = { role: "user", content: [{ type: "audio", format: "wav", data: "aGk=" }] } as const;
  expect(() => encode({ messages: [sound] })).toThrow(
    "'messages' hold audio; allowed for this model: text, images and documents.",
  );
});
