import { describe, expect, test } from "bun:test";
import type { Exchange, Target } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { Capabilities, Model, Vendor, VendorQuirks } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { chatCompletions } from "./client.ts";
import { relayChatCompletions } from "./relay.ts";

const PLAIN: Capabilities = { streaming: true, tools: true, json: true, vision: true, thinking: false };
const HELLO = { model: "alias", messages: [{ role: "user", content: "Hello" }] };

interface Differences {
  readonly capabilities?: Partial<Capabilities>;
  readonly quirks?: VendorQuirks;
  readonly forwards_safety_identifier?: boolean;
}

function target({ capabilities, quirks, forwards_safety_identifier = false }: Differences = {}): Target {
  const endpoint = {
    protocol: "chat-completions",
    base_url: "http://vendor.example/v1",
    credential: "bearer",
  } as const;
  const model: Model = {
    id: "acme/swift",
    display_name: "Swift",
    owned_by: "acme",
    created: 0,
    kind: "chat",
    context_length: null,
    max_completion_tokens: null,
    input_modalities: ["text"],
    output_modalities: ["text"],
    capabilities: { ...PLAIN, ...capabilities },
    prices: [],
    routes: [],
    fallbacks: [],
  };
  const vendor: Vendor = {
    id: "acme",
    name: "Acme",
    endpoints: [endpoint],
    api_key: null,
    headers: {},
    timeouts: { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 },
    on_disconnect: "abort",
    forwards_safety_identifier,
    quirks: quirks ?? {},
  };
  return { model, vendor, endpoint, upstream_model: "swift-0926" };
}

function prepare(body: unknown, to: Target = target()): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const none = new Headers();
  return relayChatCompletions.prepare(chatCompletions.readRequest(text, none), to, none);
}

/** The members that the vendor gets besides model and messages, and the names of members that were left out. */
function sent(body: Record<string, unknown>, differences: Differences = {}) {
  const exchange = prepare({ ...HELLO, ...body }, target(differences));
  const { model, messages, ...rest } = JSON.parse(exchange.body) as Record<string, unknown>;
  return { rest, ignored: exchange.ignored };
}

const kept = (rest: Record<string, unknown>) => ({ rest, ignored: [] });
const reasoning = (controls: NonNullable<Capabilities["reasoning"]>) => ({
  capabilities: { thinking: true, reasoning: controls },
});

describe("the vendor's body", () => {
  test("is the client's except for the model, to the byte", () => {
    const text =
      '{ "messages":[{"role":"user","content":"\\u0041"}],"x":12345678901234567890,\n"model" : "alias","seed":1.0 }';
    const exchange = prepare(text);
    expect(exchange.body).toBe(text.replace('"alias"', '"swift-0926"'));
    expect(exchange).toMatchObject({ path: "/chat/completions", headers: {}, ignored: [] });
  });

  test("is the client's own text when nothing changes", () => {
    const text = JSON.stringify({ ...HELLO, model: "swift-0926" });
    expect(prepare(text).body).toBe(text);
  });

  test("keeps extended and unknown parameters", () => {
    const extras = {
      logprobs: true,
      seed: 3,
      store: true,
      response_format: { type: "json_object" },
      thinking: { type: "x" },
    };
    expect(sent(extras)).toEqual(kept(extras));
  });
});

describe("a stream", () => {
  const usage = { stream: true, stream_options: { include_usage: true } };

  test("is asked for its usage, even when the client does not want it", () => {
    expect(sent({ stream: true })).toEqual(kept(usage));
    expect(sent({ stream: true, stream_options: null })).toEqual(kept(usage));
    expect(sent({ stream: true, stream_options: { include_usage: false, include_obfuscation: false } })).toEqual(
      kept({ stream: true, stream_options: { include_usage: true, include_obfuscation: false } }),
    );
    expect(sent(usage)).toEqual(kept(usage));
  });

  test("is not asked for its usage where the vendor refuses stream_options", () => {
    expect(sent(usage, { quirks: { no_stream_options: true } })).toEqual(kept({ stream: true }));
  });

  test("has stream_options only where the request streams", () => {
    expect(sent({ stream_options: { include_usage: true } })).toEqual(kept({}));
  });
});

describe("the output cap", () => {
  const legacy = { quirks: { max_tokens_only: true } };
  const thinking = reasoning({});
  const cases: readonly (readonly [Record<string, unknown>, Differences, Record<string, unknown>])[] = [
    [{ max_tokens: 5 }, {}, { max_tokens: 5 }],
    [{ max_completion_tokens: 5 }, {}, { max_completion_tokens: 5 }],
    [{ max_tokens: 9, max_completion_tokens: 5 }, {}, { max_completion_tokens: 5 }],
    [{ max_tokens: 9, max_completion_tokens: null }, {}, { max_tokens: 9 }],
    [{ max_completion_tokens: 5 }, legacy, { max_tokens: 5 }],
    [{ max_tokens: 9, max_completion_tokens: 5 }, legacy, { max_tokens: 5 }],
    [{ max_tokens: 9 }, legacy, { max_tokens: 9 }],
    [{ max_tokens: 9 }, thinking, { max_completion_tokens: 9 }],
    [{ max_tokens: 9 }, { ...thinking, ...legacy }, { max_tokens: 9 }],
  ];
  for (const [asked, differences, expected] of cases) {
    test(`${JSON.stringify(asked)} goes to ${JSON.stringify(differences)} as ${JSON.stringify(expected)}`, () => {
      expect(sent(asked, differences)).toEqual(kept(expected));
    });
  }
});

describe("the end user", () => {
  const both = { user: "old", safety_identifier: "new" };

  test("is not named to the vendor unless the vendor is to know it, and the client is told", () => {
    expect(sent(both)).toEqual({ rest: {}, ignored: ["safety_identifier", "user"] });
    expect(sent({ user: null })).toEqual(kept({}));
  });

  test("is named to a vendor that is to know it, and the newer field name wins", () => {
    const forwards = { forwards_safety_identifier: true };
    expect(sent(both, forwards)).toEqual(kept({ safety_identifier: "new" }));
    expect(sent({ user: "old" }, forwards)).toEqual(kept({ user: "old" }));
    expect(sent({ user: "old", safety_identifier: null }, forwards).rest).toMatchObject({ user: "old" });
  });
});

describe("a field that the target cannot honour", () => {
  test("is left out and reported", () => {
    const quirks = { unsupported_fields: ["logprobs", "seed", "store"] };
    expect(sent({ logprobs: true, seed: null, top_p: 1 }, { quirks })).toEqual({
      rest: { top_p: 1 },
      ignored: ["logprobs"],
    });
  });

  test("is left out for a model without structured output", () => {
    const json = { capabilities: { json: false } };
    expect(sent({ response_format: { type: "json_object" } }, json)).toEqual({
      rest: {},
      ignored: ["response_format"],
    });
    expect(sent({ response_format: { type: "text" } }, json)).toEqual(kept({ response_format: { type: "text" } }));
  });

  test("is refused where the answer would have another shape: several choices", () => {
    const quirks = { unsupported_fields: ["n"] };
    expect(sent({ n: 1 }, { quirks })).toEqual(kept({}));
    expect(() => sent({ n: 2 }, { quirks })).toThrow(
      "'n' is the number 2; allowed for acme/swift: 1, as it gives one answer to a request.",
    );
    try {
      sent({ n: 2 }, { quirks });
    } catch (error) {
      expect(error instanceof GatewayError && [error.code, error.param]).toEqual(["unsupported_parameter", "n"]);
    }
  });

  test("is sent all the same when every request needs it", () => {
    const quirks = { unsupported_fields: ["model", "messages", "stream"] };
    expect(JSON.parse(prepare({ ...HELLO, stream: false }, target({ quirks })).body)).toEqual({
      ...HELLO,
      model: "swift-0926",
      stream: false,
    });
  });
});

describe("reasoning effort", () => {
  const levels = reasoning({ effort: ["low", "high"] });
  const cases: readonly (readonly [string, Differences, string | null, boolean])[] = [
    ["high", levels, "high", false],
    ["medium", levels, "low", false],
    ["xhigh", levels, "high", false],
    ["minimal", levels, "low", false],
    ["none", levels, "low", false],
    ["none", reasoning({ toggle: true, effort: ["low"] }), "none", false],
    ["none", reasoning({ effort: ["none", "low"] }), "none", false],
    ["none", reasoning({ toggle: true }), "none", false],
    ["high", reasoning({ toggle: true }), null, true],
    ["high", reasoning({}), null, true],
    ["high", reasoning({ budget_tokens: { min: 1, max: 9 } }), "high", false],
    ["high", {}, null, true],
    ["none", {}, null, false],
  ];
  for (const [asked, differences, effort, named] of cases) {
    const controls = JSON.stringify(differences.capabilities?.reasoning ?? "no reasoning");
    test(`${asked} becomes ${effort ?? "nothing"} with ${controls}`, () => {
      const rest = effort === null ? {} : { reasoning_effort: effort };
      expect(sent({ reasoning_effort: asked }, differences)).toEqual({
        rest,
        ignored: named ? ["reasoning_effort"] : [],
      });
    });
  }
});

describe("the developer role", () => {
  const text =
    '{"model":"swift-0926", "messages" : [ {"role":"developer","content":"a","x":98765432109876543210},\n {"content":"b","role" : "user"}, {"role":"developer","content":"\\"role\\":\\"developer\\""} ],"x":1}';

  test("becomes the system role where the vendor has no other, and nothing else changes", () => {
    expect(prepare(text, target({ quirks: { no_developer_role: true } })).body).toBe(
      text.replaceAll('"role":"developer"', '"role":"system"'),
    );
  });

  test("stays for other vendors", () => {
    expect(prepare(text).body).toBe(text);
    const user = JSON.stringify({ ...HELLO, model: "swift-0926" });
    expect(prepare(user, target({ quirks: { no_developer_role: true } })).body).toBe(user);
  });
});

describe("the vendor's answers", () => {
  test("are read by the exchange, with the model's public name", () => {
    const exchange = prepare({ ...HELLO, stream: true, stream_options: { include_usage: true } });
    const body = {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "swift-0926",
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }],
    };
    const whole = exchange.readWhole(Buffer.from(JSON.stringify(body)));
    expect(JSON.parse(bytesOf(whole.body).toString())).toEqual({
      ...{ ...body, model: "acme/swift" },
      system_fingerprint: null,
    });
    const usage = {
      input_tokens: 1,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 1,
      reasoning_tokens: 0,
    };
    const billed = JSON.parse(bytesOf(whole.bodyWith?.(usage) ?? "").toString());
    expect(billed).toMatchObject({ ...body, model: "acme/swift", usage: { prompt_tokens: 1, total_tokens: 2 } });
    expect(Buffer.from(exchange.openStream().cut(usage)).toString()).toContain('"model":"acme/swift"');
    expect(exchange.readError(400, '{"error":{"message":"No."}}')).toMatchObject({ status: 400, message: "No." });
  });
});

describe("members of other clients", () => {
  const openrouter = { reasoning: { effort: "low" }, usage: { include: true } };
  const thinking = { thinking: true, reasoning: { effort: ["low", "high"] } };

  test("OpenRouter's reasoning and usage become what other vendors take, and stay for vendors that take them", () => {
    const sent = JSON.parse(prepare({ ...HELLO, ...openrouter }, target({ capabilities: thinking })).body) as object;
    expect(sent).toMatchObject({ reasoning_effort: "low" });
    expect(sent).not.toHaveProperty("reasoning");
    expect(sent).not.toHaveProperty("usage");
    const own = target({ capabilities: thinking, quirks: { takes_reasoning_object: true } });
    expect(JSON.parse(prepare({ ...HELLO, ...openrouter }, own).body)).toMatchObject(openrouter);
    expect(prepare({ ...HELLO, ...openrouter }, target({})).ignored).toContain("reasoning");
  });

  test("an empty list of tools is left out where no tool is demanded", () => {
    const none = JSON.parse(prepare({ ...HELLO, tools: [], tool_choice: "auto" }).body) as object;
    expect(Object.keys(none)).not.toContain("tools");
    expect(Object.keys(none)).not.toContain("tool_choice");
  });
});
