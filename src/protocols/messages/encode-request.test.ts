import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { VendorTraits } from "../../core/answer/codec.ts";
import type { AssistantPart, GenerationRequest, Message, UserPart } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { messagesVendorCodec } from "./codec.ts";
import { DEFAULT_MAX_TOKENS } from "./encode-request.ts";

/** Requests as a vendor of this protocol receives them. */

const HEADERS = new Headers();

function encode(request: Partial<GenerationRequest> = {}, options: TargetOptions = {}) {
  return messagesVendorCodec.encodeRequest(generation(request), targetFor("messages", options), HEADERS);
}

function sent(request: Partial<GenerationRequest> = {}, options: TargetOptions = {}): Record<string, unknown> {
  return JSON.parse(encode(request, options).body);
}

function turns(...messages: Message[]): unknown {
  return sent({ messages }).messages;
}

const says = (...content: AssistantPart[]): Message => ({ role: "assistant", content });
const asks = (...content: UserPart[]): Message => ({ role: "user", content });
const system = (text: string, authority: "system" | "developer" = "system"): Message => ({
  role: "system",
  authority,
  content: [{ type: "text", text }],
});
const call = (id: string, args = "{}"): AssistantPart => ({
  type: "tool-call",
  id,
  name: "look",
  arguments: args,
  kind: "function",
});
const result = (call_id: string, text = "Sun", is_error = false): Message => ({
  role: "tool",
  call_id,
  content: text === "" ? [] : [{ type: "text", text }],
  is_error,
});
const text = (words: string) => ({ type: "text" as const, text: words });
const use = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "look", input });
const TOOL = { kind: "function", name: "look", parameters: { type: "object" } } as const;
const SIGNED: AssistantPart = {
  type: "reasoning",
  text: "Hm",
  opaque: { family: "anthropic", form: "signature", data: "c2ln" },
};

test("the smallest request", () => {
  const { path, headers, ignored, body } = encode();
  expect([path, headers, ignored]).toEqual(["/messages", { "anthropic-version": "2023-06-01" }, []]);
  expect(JSON.parse(body)).toEqual({
    model: "upstream-1",
    max_tokens: 64_000,
    messages: [{ role: "user", content: [text("Hi")] }],
  });
});

describe("the output cap", () => {
  test("is the client's, else the model's, else the documented default", () => {
    const target = targetFor("messages");
    const unknown = { ...target, model: { ...target.model, max_completion_tokens: null } };
    expect(sent({ max_output_tokens: 5 }).max_tokens).toBe(5);
    expect(sent().max_tokens).toBe(64_000);
    const body = messagesVendorCodec.encodeRequest(generation(), unknown, HEADERS).body;
    expect(JSON.parse(body).max_tokens).toBe(DEFAULT_MAX_TOKENS);
  });
});

describe("the conversation", () => {
  test("has its instructions apart, also a developer's, wherever they stood", () => {
    const body = sent({ messages: [system("A", "developer"), user("Hi"), system("B"), says(text("Ho")), user("Go")] });
    expect(body.system).toEqual([text("A"), text("B")]);
    expect(body.messages).toEqual([
      { role: "user", content: [text("Hi")] },
      { role: "assistant", content: [text("Ho")] },
      { role: "user", content: [text("Go")] },
    ]);
  });

  test("of instructions alone becomes a user's turn", () => {
    const body = sent({ messages: [system("Tell a joke.")] });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([{ role: "user", content: [text("Tell a joke.")] }]);
  });

  test("has one turn for consecutive messages of one role", () => {
    expect(turns(user("a"), user("b"), says(text("c")), says(call("t")), result("t"), user("d"))).toEqual([
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: [text("c"), use("t")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "Sun" }, text("d")] },
    ]);
  });

  test("has the results of parallel calls in one turn, in order and first", () => {
    const [, , last] = turns(
      user("a"),
      says(call("t"), call("u")),
      result("t"),
      user("And?"),
      result("u", "No", true),
    ) as {
      content: unknown;
    }[];
    expect(last?.content).toEqual([
      { type: "tool_result", tool_use_id: "t", content: "Sun" },
      { type: "tool_result", tool_use_id: "u", content: "No", is_error: true },
      text("And?"),
    ]);
  });

  test("has no blank text and no empty turn", () => {
    expect(turns(user("a"), says(text(" \n")), asks(text(""), text("b")))).toEqual([
      { role: "user", content: [text("a"), text("b")] },
    ]);
  });

  test("has empty and blank tool results unchanged", () => {
    const [, , last] = turns(user("a"), says(call("t"), call("u")), result("t", ""), result("u", " ")) as {
      content: unknown;
    }[];
    expect(last?.content).toEqual([
      { type: "tool_result", tool_use_id: "t", content: "" },
      { type: "tool_result", tool_use_id: "u", content: " " },
    ]);
  });

  test("has images and documents in its turns and results", () => {
    const image = { type: "image", source: { kind: "url", url: "https://x.example/a.png" } } as const;
    const base64 = { kind: "base64", data: "aGk=" } as const;
    const pdf = { type: "document", source: { ...base64, media_type: "application/pdf" }, filename: "a.pdf" } as const;
    const note = { type: "document", source: { ...base64, media_type: "text/plain" } } as const;
    expect(turns(asks(image, pdf, note), says(call("t")), { ...result("t"), content: [image] } as Message)).toEqual([
      {
        role: "user",
        content: [
          { type: "image", source: { type: "url", url: "https://x.example/a.png" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
            title: "a.pdf",
          },
          { type: "document", source: { type: "text", media_type: "text/plain", data: "hi" } },
        ],
      },
      { role: "assistant", content: [use("t")] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t",
            content: [{ type: "image", source: { type: "url", url: "https://x.example/a.png" } }],
          },
        ],
      },
    ]);
  });

  test("keeps cache hints", () => {
    const cache = { ttl: "1h" } as const;
    const hinted = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const body = sent({
      messages: [
        { role: "system", authority: "system", content: [{ type: "text", text: "A", cache }] },
        asks({ type: "text", text: "a", cache: { ttl: null } }),
        says({ ...call("t"), cache } as AssistantPart),
        { ...result("t"), cache } as Message,
      ],
      tools: [{ ...TOOL, cache }],
    });
    expect(body.system).toEqual([{ ...text("A"), ...hinted }]);
    expect(body.messages).toMatchObject([
      { content: [{ cache_control: { type: "ephemeral" } }] },
      { content: [hinted] },
      { content: [hinted] },
    ]);
    expect(body.tools).toMatchObject([hinted]);
  });

  test("has the arguments of calls as the model wrote them", () => {
    const input = (args: string) => {
      const { body } = encode({ messages: [user("a"), says(call("t", args)), result("t")] });
      return /"input":(.*?)\}\]\}/.exec(body)?.[1];
    };
    expect(input('{"id":12345678901234567890}')).toBe('{"id":12345678901234567890}');
    expect(input("")).toBe("{}");
    expect(input('{"a":')).toBe('{"INVALID_JSON":"{\\"a\\":"}');
    expect(input("[1]")).toBe('{"INVALID_JSON":"[1]"}');
  });

  test("has its own family's reasoning byte for byte, and no other family's", () => {
    const redacted = { family: "anthropic", form: "redacted", data: "aGlk" } as const;
    const foreign = { family: "openai", form: "encrypted", data: "gAAA" } as const;
    const answer = says(
      SIGNED,
      { type: "reasoning", text: "", opaque: redacted },
      { type: "reasoning", text: "Summary", opaque: foreign },
      { type: "reasoning", text: "Unsigned" },
      { type: "refusal", text: "No." },
    );
    expect(turns(user("a"), answer, user("b"))).toMatchObject([
      {},
      {
        content: [
          { type: "thinking", thinking: "Hm", signature: "c2ln" },
          { type: "redacted_thinking", data: "aGlk" },
          text("No."),
        ],
      },
      {},
    ]);
  });
});

describe("tools", () => {
  const choice = (request: Partial<GenerationRequest>) => sent({ tools: [TOOL], ...request }).tool_choice;

  test.each([
    [{}, undefined],
    [{ parallel_tool_calls: true }, undefined],
    [{ parallel_tool_calls: false }, { type: "auto", disable_parallel_tool_use: true }],
    [{ tool_choice: { mode: "auto" } }, { type: "auto" }],
    [{ tool_choice: { mode: "none" }, parallel_tool_calls: false }, { type: "none" }],
    [
      { tool_choice: { mode: "required" }, parallel_tool_calls: false },
      { type: "any", disable_parallel_tool_use: true },
    ],
    [{ tool_choice: { mode: "named", name: "look" } }, { type: "tool", name: "look" }],
    [{ tools: [], tool_choice: { mode: "auto" } }, undefined],
  ] as const)("are used as %j says", (request, expected) => {
    expect(choice(request as Partial<GenerationRequest>)).toEqual(expected as never);
  });

  test("always have an object schema", () => {
    const bare = { kind: "function", name: "now" } as const;
    expect(sent({ tools: [bare] }).tools).toEqual([{ name: "now", input_schema: { type: "object" } }]);
  });

  test("that were called are declared also when the client no longer offers tools", () => {
    const body = sent({ messages: [user("a"), says(call("t")), result("t"), user("Thanks")] });
    expect(body.tools).toEqual([{ name: "look", input_schema: { type: "object" } }]);
    expect(body.tool_choice).toEqual({ type: "none" });
  });

  test("are not bound strictly to their schemas, and the client is told", () => {
    const { body, ignored } = encode({ tools: [{ ...TOOL, strict: true }] });
    expect(JSON.parse(body).tools[0]).not.toHaveProperty("strict");
    expect(ignored).toEqual(["tools.strict"]);
  });
});

const LEVELS = { thinking: true, reasoning: { toggle: true, effort: ["low", "medium", "high"] } };
const BUDGET = { thinking: true, reasoning: { toggle: true, budget_tokens: { min: 1024, max: 10_000 } } };
const BOTH = { thinking: true, reasoning: { effort: ["low", "high"], budget_tokens: { min: 1024 } } };
const SWITCH = { thinking: true, reasoning: { toggle: true } };

describe("thinking", () => {
  const thought = (
    reasoning: GenerationRequest["reasoning"],
    capabilities: object,
    more: Partial<GenerationRequest> = {},
  ) => {
    const { body, ignored } = encode({ ...more, ...(reasoning && { reasoning }) }, { capabilities });
    const { thinking, output_config } = JSON.parse(body);
    return { thinking, effort: output_config?.effort, ignored };
  };

  test.each([
    ["a level", { effort: "high" }, LEVELS, { thinking: { type: "adaptive" }, effort: "high" }],
    ["a level that the model lacks", { effort: "xhigh" }, LEVELS, { thinking: { type: "adaptive" }, effort: "high" }],
    ["enabled without a level", { enabled: true }, LEVELS, { thinking: { type: "adaptive" } }],
    ["a budget", { budget_tokens: 6000 }, LEVELS, { thinking: { type: "adaptive" }, effort: "low" }],
    ["off", { enabled: false }, LEVELS, { thinking: { type: "disabled" } }],
    ["no effort", { effort: "none" }, LEVELS, { thinking: { type: "disabled" } }],
    [
      "a level as a share of the largest budget",
      { effort: "medium" },
      BUDGET,
      { thinking: { type: "enabled", budget_tokens: 5000 } },
    ],
    ["its budget", { budget_tokens: 2000 }, BUDGET, { thinking: { type: "enabled", budget_tokens: 2000 } }],
    ["enabled without a budget", { enabled: true }, BUDGET, { thinking: { type: "enabled", budget_tokens: 8000 } }],
    [
      "a level and its share",
      { effort: "high" },
      BOTH,
      { thinking: { type: "enabled", budget_tokens: 51_200 }, effort: "high" },
    ],
    [
      "off, as the least budget where the model cannot be turned off",
      { enabled: false },
      BOTH,
      { thinking: { type: "enabled", budget_tokens: 1024 }, effort: "low" },
    ],
    ["a switch", { enabled: true }, SWITCH, { thinking: { type: "enabled", budget_tokens: 51_200 } }],
    [
      "with its text shown",
      { effort: "low", show: "detailed" },
      LEVELS,
      { thinking: { type: "adaptive", display: "summarized" }, effort: "low" },
    ],
    [
      "with its text hidden",
      { effort: "low", show: "none" },
      LEVELS,
      { thinking: { type: "adaptive", display: "omitted" }, effort: "low" },
    ],
    ["no setting", undefined, LEVELS, {}],
  ] as const)("is sent: %s", (_name, reasoning, capabilities, expected) => {
    expect(thought(reasoning, capabilities)).toEqual({
      thinking: undefined,
      effort: undefined,
      ignored: [],
      ...(expected as object),
    });
  });

  test("is left out for a model that does not think, and the client is told", () => {
    expect(thought({ effort: "high" }, { thinking: false })).toEqual({
      thinking: undefined,
      effort: undefined,
      ignored: ["reasoning"],
    });
  });

  test("is left out beside a forced tool call", () => {
    const forced = thought({ effort: "high" }, LEVELS, { tools: [TOOL], tool_choice: { mode: "required" } });
    expect(forced).toEqual({ thinking: undefined, effort: "high", ignored: ["reasoning"] });
  });

  test("is left out in a turn that began without thinking, where the vendor requires the turn's thinking", () => {
    const loop = (...first: AssistantPart[]) => ({
      tools: [TOOL],
      messages: [user("a"), says(...first, call("t")), result("t")],
    });
    const unsigned: AssistantPart = { type: "reasoning", text: "Hm" };
    expect(thought({ effort: "low" }, BUDGET, loop(unsigned)).ignored).toEqual(["reasoning"]);
    expect(thought({ effort: "low" }, BUDGET, loop(SIGNED)).thinking).toMatchObject({ type: "enabled" });
    expect(thought({ effort: "low" }, LEVELS, loop(unsigned)).thinking).toEqual({ type: "adaptive" });
    const next = { ...loop(), messages: [...loop().messages, says(text("Sunny.")), user("b")] };
    expect(thought({ effort: "low" }, BUDGET, next).thinking).toMatchObject({ type: "enabled" });
  });

  test("is left out before an answer that the model is to continue", () => {
    const prefill = { messages: [user("a"), says(text("Well,"))] };
    expect(thought({ effort: "low" }, LEVELS, prefill).ignored).toEqual(["reasoning"]);
  });

  test("is left out where the output cap leaves no room for it", () => {
    expect(thought({ effort: "low" }, BUDGET, { max_output_tokens: 1000 }).ignored).toEqual(["reasoning"]);
  });
});

describe("sampling", () => {
  const drawn = (request: Partial<GenerationRequest>, capabilities: object = {}) => {
    const { body, ignored } = encode(request, { capabilities });
    const { temperature, top_p, top_k } = JSON.parse(body);
    return [temperature, top_p, top_k, ignored];
  };

  test("is sent unchanged where the vendor accepts it", () => {
    expect(drawn({ temperature: 0.3, top_k: 5 })).toEqual([0.3, undefined, 5, []]);
    expect(drawn({ top_p: 0.3 })).toEqual([undefined, 0.3, undefined, []]);
  });

  test("has a temperature of at most 1, and the client is told", () => {
    expect(drawn({ temperature: 1.7 })).toEqual([1, undefined, undefined, ["temperature"]]);
  });

  test("keeps temperature where the client sends temperature and top_p", () => {
    expect(drawn({ temperature: 0.3, top_p: 0.9 })).toEqual([0.3, undefined, undefined, ["top_p"]]);
    expect(drawn({ temperature: 0.3, top_p: 1 })).toEqual([0.3, undefined, undefined, []]);
  });

  test("keeps only what the vendor accepts with thinking", () => {
    const reasoning = { effort: "low" };
    expect(drawn({ reasoning, temperature: 0.3, top_p: 0.99, top_k: 5 }, LEVELS)).toEqual([
      undefined,
      0.99,
      undefined,
      ["temperature", "top_k"],
    ]);
    expect(drawn({ reasoning, temperature: 1, top_p: 0.5 }, LEVELS)).toEqual([
      undefined,
      undefined,
      undefined,
      ["top_p"],
    ]);
  });
});

test("the other settings", () => {
  const body = sent({ stream: true, stop: ["END"], end_user: "u-1", service_tier: "default" });
  expect(body).toMatchObject({
    stream: true,
    stop_sequences: ["END"],
    metadata: { user_id: "u-1" },
    service_tier: "standard_only",
  });
  expect(sent({ service_tier: "auto" }).service_tier).toBe("auto");
  expect(encode({ service_tier: "flex" })).toMatchObject({ ignored: ["service_tier"] });
});

test("fields that a vendor refuses are left out and reported", () => {
  const quirks = { unsupported_fields: ["thinking", "output_config", "tool_choice", "messages", "top_k"] };
  const { body, ignored } = encode(
    { reasoning: { effort: "low" }, tools: [TOOL], parallel_tool_calls: false },
    { quirks, capabilities: LEVELS },
  );
  expect(Object.keys(JSON.parse(body)).sort()).toEqual(["max_tokens", "messages", "model", "tools"]);
  expect(new Set(ignored)).toEqual(new Set(["reasoning", "tool_choice"]));
});

test("the detail of an image is reported as left out", () => {
  const image = { type: "image", source: { kind: "url", url: "https://x.example/a.png" } } as const;
  expect(encode({ messages: [asks({ ...image, detail: "low" })] }).ignored).toEqual(["detail"]);
  expect(encode({ messages: [asks({ ...image, detail: "auto" })] }).ignored).toEqual([]);
});

describe("structured output", () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
  const format = { type: "json-schema", name: "count", schema } as const;

  test("is the vendor's own format, with further constraints in the descriptions", () => {
    const body = sent({ format: { ...format, description: "A count." } });
    expect(body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          description: "A count.",
          type: "object",
          properties: { n: { type: "integer", description: "{minimum: 1}" } },
          required: ["n"],
          additionalProperties: false,
        },
      },
    });
  });
});

describe("the traits of the vendor", () => {
  const traits = (options: TargetOptions = {}, request?: Partial<GenerationRequest>): VendorTraits =>
    messagesVendorCodec.traits(targetFor("messages", options), request && generation(request));

  test("include schemas, but no plain JSON mode", () => {
    expect(traits()).toMatchObject({
      json_schema: true,
      json_object: false,
      stop_sequences: true,
      custom_tools: false,
    });
  });

  test("include a schema only where the schema has a form for the vendor", () => {
    const format = (schema: object) =>
      ({ format: { type: "json-schema", name: "a", schema } }) as Partial<GenerationRequest>;
    const map = { type: "object", additionalProperties: { type: "string" } };
    expect(traits({}, format(map)).json_schema).toBe(false);
    expect(traits({}, format({ type: "object", properties: { a: { type: "string" } } })).json_schema).toBe(true);
  });

  test("exclude fields that the vendor refuses", () => {
    const quirks = { unsupported_fields: ["top_k", "stop_sequences", "output_config", "metadata", "service_tier"] };
    const found = traits({ quirks });
    expect(found).toMatchObject({ stop_sequences: false, json_schema: false });
    expect(found.honours).toMatchObject({ top_k: false, end_user: false, service_tier: false, temperature: true });
  });

  test("exclude sampling where the model has thinking levels only", () => {
    const honoured = (capabilities: object) => traits({ capabilities }).honours.temperature;
    expect(honoured(LEVELS)).toBe(false);
    expect([honoured({}), honoured(BUDGET), honoured(BOTH), honoured(SWITCH)]).toEqual([true, true, true, true]);
  });
});

describe("refused:", () => {
  const source = { kind: "file-id", file_id: "file_1" } as const;
  const office = { kind: "base64", media_type: "application/msword", data: "aGk=" } as const;
  test.each([
    ["sound", [asks({ type: "audio", format: "wav", data: "aGk=" })], /hold audio/],
    ["video", [asks({ type: "video", source: { kind: "url", url: "https://x.example/a.mp4" } })], /hold video/],
    ["another vendor's file", [asks({ type: "image", source })], /another vendor/],
    ["a document that is no PDF", [asks({ type: "document", source: office })], /application\/msword/],
    ["nothing at all", [asks({ type: "text", text: " " })], /nothing at all/],
  ] as const)("%s", (_name, messages, words) => {
    try {
      encode({ messages });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      expect(error).toMatchObject({ code: "unsupported_parameter", param: "messages" });
      expect(error.message).toMatch(words);
      expect(error.message).toContain("'messages'");
      return;
    }
    throw new Error("The request was not refused.");
  });
});
