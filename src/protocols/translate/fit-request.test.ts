import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { VendorTraits } from "../../core/answer/codec.ts";
import type { GenerationRequest, Opaque } from "../../core/answer/generation.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { fitRequest } from "./fit-request.ts";

const SETTINGS = [
  ...["parallel_tool_calls", "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed"],
  ...["logprobs", "logit_bias", "verbosity", "end_user", "metadata", "prompt_cache_key", "service_tier"],
  ...["cache_hints", "names"],
];
const honours = (value: boolean) =>
  Object.fromEntries(SETTINGS.map((name) => [name, value])) as VendorTraits["honours"];

const ABLE: VendorTraits = {
  honours: honours(true),
  stop_sequences: true,
  custom_tools: true,
  system_in_place: true,
  call_ids: LEGAL_CALL_IDS.chat,
  hosted_tools: [],
  json_schema: true,
  json_object: true,
  families: ["anthropic"],
};
const UNABLE: VendorTraits = {
  ...ABLE,
  honours: honours(false),
  stop_sequences: false,
  custom_tools: false,
  json_schema: false,
  json_object: false,
};

function fit(request: Partial<GenerationRequest>, traits = UNABLE, options: TargetOptions = {}) {
  return fitRequest(generation(request), traits, targetFor("messages", options));
}

describe("a request that its target can honour", () => {
  test("stays unchanged", () => {
    const request: Partial<GenerationRequest> = {
      top_k: 4,
      seed: 1,
      stop: ["x"],
      end_user: "u",
      format: { type: "json-object" },
      tools: [{ kind: "custom", name: "p" }],
      messages: [{ role: "user", name: "Ann", content: [{ type: "text", text: "Hi", cache: { ttl: null } }] }],
    };
    const fitted = fit(request, ABLE);
    expect(fitted.request).toEqual(generation(request));
    expect([fitted.ignored, fitted.openPasses()]).toEqual([[], { passes: [], stop: null }]);
  });
});

describe("parts of a request that the target cannot honour", () => {
  const left_out: readonly (readonly [Partial<GenerationRequest>, readonly string[]])[] = [
    [{ top_k: 4 }, ["top_k"]],
    [{ seed: 0, logprobs: { top: 0 }, logit_bias: { "1": 1 } }, ["seed", "logprobs", "logit_bias"]],
    [{ temperature: 0, top_p: 0.5 }, ["temperature", "top_p"]],
    [{ presence_penalty: 1, frequency_penalty: 1 }, ["presence_penalty", "frequency_penalty"]],
    [
      { parallel_tool_calls: false, verbosity: "low", service_tier: "flex" },
      ["parallel_tool_calls", "verbosity", "service_tier"],
    ],
    [{ metadata: { a: 1 }, prompt_cache_key: "k" }, ["metadata", "prompt_cache_key"]],
    [{ end_user: "u" }, ["end_user"]],
    [{ extras: { store: true, n_keep: 1 } }, ["store", "n_keep"]],
    // Settings that ask for the default behaviour.
    [{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, logit_bias: {} }, []],
    [{ parallel_tool_calls: true, verbosity: "medium", service_tier: "auto", metadata: {} }, []],
  ];
  for (const [request, ignored] of left_out) {
    test(`are left out and reported: ${JSON.stringify(request)}`, () => {
      const fitted = fit(request);
      expect(fitted.ignored).toEqual([...ignored]);
      const { extras: _, ...settings } = request;
      for (const name of Object.keys(settings)) expect(fitted.request).not.toHaveProperty(name);
    });
  }

  test("include the end user where the vendor is not to know them", () => {
    const fitted = fit({ end_user: "u" }, ABLE, { forwards_safety_identifier: false });
    expect([fitted.ignored, fitted.request.end_user]).toEqual([["end_user"], undefined]);
  });

  test("are taken out of messages and tools", () => {
    const cache = { ttl: "1h" } as const;
    const fitted = fit({
      tools: [{ kind: "function", name: "f", cache }],
      messages: [
        { role: "user", name: "Ann", content: [{ type: "text", text: "Hi", cache }] },
        { role: "assistant", content: [{ type: "text", text: "Yes" }] },
        { role: "tool", call_id: "c", content: [], is_error: false, cache },
      ],
    });
    expect(fitted.ignored).toEqual(["names", "cache_hints"]);
    expect(JSON.stringify(fitted.request)).not.toMatch(/cache|Ann/);
    expect(fitted.request.messages.length).toBe(3);
  });

  test("include hosted tools, with whose last one the choice goes", () => {
    const hosted = (type: string) => ({ kind: "hosted", type, name: type, raw: { type } }) as const;
    const tools = [hosted("web_search"), hosted("code"), { kind: "function", name: "f" } as const];
    const named = { mode: "named", name: "f" } as const;
    const fitted = fit({ tools, tool_choice: named }, { ...ABLE, hosted_tools: ["code"] });
    expect(fitted.ignored).toEqual(["tools.web_search"]);
    expect([fitted.request.tools, fitted.request.tool_choice]).toEqual([tools.slice(1), named]);
    expect(fit({ tools: [hosted("x")], tool_choice: { mode: "auto" } }).request).toEqual(generation());
  });

  test("name a choice that only left-out tools could meet", () => {
    const hosted = { kind: "hosted", type: "x_20250101", name: "x", raw: {} } as const;
    const own = { kind: "function", name: "f" } as const;
    for (const [tools, tool_choice] of [
      [[hosted, own], { mode: "named", name: "x" }],
      [[hosted], { mode: "required" }],
      [[hosted, { ...own, name: "x" }], { mode: "named", name: "x", hosted: true }],
    ] as const) {
      const fitted = fit({ tools, tool_choice });
      expect(fitted.ignored).toEqual(["tools.x_20250101", "tool_choice"]);
      expect(fitted.request.tool_choice).toBeUndefined();
    }
    expect(fit({ tools: [], tool_choice: { mode: "required" } }).ignored).toEqual(["tool_choice"]);
    expect(() => fit({ tools: [own], tool_choice: { mode: "named", name: "x" } })).toThrow("not among 'tools'");
  });
});

describe("in place of the target, the gateway", () => {
  test("cuts at stop sequences", () => {
    const fitted = fit({ stop: ["END"] });
    expect([fitted.request.stop, fitted.ignored, fitted.openPasses().stop]).toMatchObject([undefined, [], {}]);
    expect(fit({ stop: [] }).openPasses().stop).toBeNull();
  });

  test("asks for a format by a tool, which is forced where the model does not reason", () => {
    const format = { type: "json-schema", name: "n", schema: { type: "object" } } as const;
    const forced = fit({ format });
    expect(forced.request).toMatchObject({ tools: [{ name: "final_answer" }], tool_choice: { mode: "named" } });
    expect([forced.ignored, forced.openPasses().passes.length]).toEqual([[], 1]);
    const capabilities = { thinking: true, reasoning: {} };
    for (const reasoning of [{ effort: "low" }, { enabled: true }, { budget_tokens: 9 }])
      expect(fit({ format, reasoning }, UNABLE, { capabilities }).request.tool_choice).toEqual({ mode: "auto" });
    for (const reasoning of [{ effort: "none" }, { enabled: false }, { show: "auto" } as const])
      expect(fit({ format, reasoning }, UNABLE, { capabilities }).request.tool_choice?.mode).toBe("named");
  });

  test("keeps a demanded call as it was asked for: such an answer has no text for a format", () => {
    const tools = [{ kind: "function", name: "f" } as const];
    for (const tool_choice of [{ mode: "required" }, { mode: "named", name: "f" }] as const) {
      const { request, ignored } = fit({ tools, tool_choice, format: { type: "json-object" } });
      expect([request.tools, request.tool_choice, request.format, ignored]).toEqual([
        tools,
        tool_choice,
        undefined,
        [],
      ]);
    }
  });

  test("leaves the format out where the model has neither formats nor tools", () => {
    const format = { type: "json-schema", name: "n", schema: { type: "object" } } as const;
    const fitted = fit({ format }, ABLE, { capabilities: { json: false, tools: false } });
    expect([fitted.request.format, fitted.request.tools, fitted.ignored]).toEqual([undefined, [], ["format"]]);
  });

  test("asks for JSON without a schema in words, whatever tools there are", () => {
    for (const capabilities of [{}, { json: false, tools: false }]) {
      const fitted = fit({ format: { type: "json-object" } }, UNABLE, { capabilities });
      expect([fitted.request.format, fitted.request.tools, fitted.ignored]).toEqual([undefined, [], []]);
      expect(fitted.request.messages.map(({ role }) => role)).toEqual(["system", "user"]);
      expect(fitted.openPasses().passes).toHaveLength(1);
    }
  });

  test("decides by format: a model may support schemas without supporting free JSON", () => {
    const traits = { ...ABLE, json_object: false };
    const schema = { type: "json-schema", name: "n", schema: {} } as const;
    expect(fit({ format: schema }, traits).request.format).toEqual(schema);
    expect(fit({ format: { type: "json-object" } }, traits).request.format).toBeUndefined();
    expect(fit({ format: { type: "text" } }, traits).request).toEqual(generation());
  });
});

describe("opaque reasoning", () => {
  const sealed = (family: Opaque["family"]): Opaque => ({ family, form: "signature", data: family });

  test("goes back only to its own family", () => {
    const content = [
      { type: "reasoning", text: "ours", opaque: sealed("anthropic") },
      { type: "reasoning", text: "theirs", opaque: sealed("openai") },
      { type: "reasoning", text: "", opaque: sealed("openai") },
      { type: "tool-call", id: "c", name: "f", arguments: "{}", kind: "function", opaque: sealed("google") },
    ] as const;
    const { request } = fit({ messages: [user("Hi"), { role: "assistant", content }] }, ABLE);
    const { opaque: _, ...call } = content[3];
    expect(request.messages[1]?.content as unknown).toEqual([content[0], { type: "reasoning", text: "theirs" }, call]);
  });

  test("is left out with its message where that holds nothing else", () => {
    const content = [{ type: "reasoning", text: "", opaque: sealed("openai") }] as const;
    expect(fit({ messages: [user("Hi"), { role: "assistant", content }] }, ABLE).request.messages).toEqual([
      user("Hi"),
    ]);
  });
});
