import { describe, expect, test } from "bun:test";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import {
  type ListedKind,
  listModels,
  type ModelObject,
  modelObject,
  plainReader,
  styleBCapabilities,
} from "./model-objects.ts";

const configuration = loadConfiguration({
  file_text: `
vendors:
  acme: { protocol: [chat-completions, decisions], base_url: "http://127.0.0.1:1/v1" }
models:
  acme/swift:
    display_name: Swift
    owned_by: acme-labs
    created: 2026-09-01
    context_length: 200000
    max_completion_tokens: 32000
    input_modalities: [text, image]
    capabilities: { json: false, reasoning: { toggle: true, effort: [low, high], budget_tokens: { min: 1024 } } }
    price: { input: 1, output: 1 }
  acme/plain: { price: { input: 1, output: 1 } }
  acme/judge: { kind: decision, price: { input: 1 } }
`,
  file_name: "camino.yaml",
  env: {},
});

const [YES, NO] = [{ supported: true }, { supported: false }];
/** Style B's capabilities of a model that has none of them. */
const STYLE_B = {
  batch: NO,
  citations: NO,
  code_execution: NO,
  context_management: { ...NO, clear_thinking_20251015: NO, clear_tool_uses_20250919: NO, compact_20260112: NO },
  effort: { ...NO, low: NO, medium: NO, high: NO, xhigh: NO, max: NO },
  image_input: NO,
  pdf_input: NO,
  server_tools: { ...NO, web_search: NO, code_execution: NO },
  structured_outputs: NO,
};

const KEY = keyRecord();
const PLAIN = plainReader(0);

const MODEL_WITH_ALL = `
catalog: none
vendors: { acme: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }
models:
  acme/all:
    input_modalities: [text, image, pdf]
    capabilities: { reasoning: { effort: [low, medium, high, xhigh, max] } }
    price: { input: 1, output: 1, calls: { web_search: 10 } }
`;

const DATED = `
catalog: none
vendors: { acme: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }
models:
  acme/dated: { price: [{ input: 1, output: 1 }, { from: 2026-12-01, input: 2.5, output: 1 }] }
`;

interface Envelope {
  object: string;
  data: ModelObject[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

const list = (key: Partial<KeyRecord>, kind: ListedKind): Envelope =>
  JSON.parse(listModels(configuration, { ...KEY, ...key }, kind, PLAIN));
const idsOf = (key: Partial<KeyRecord>, kind: ListedKind = null) => list(key, kind).data.map(({ id }) => id);

describe("a model object", () => {
  test("has style B's capabilities as the catalog knows them", () => {
    const { models } = loadConfiguration({
      ...{ file_text: MODEL_WITH_ALL, file_name: "camino.yaml", env: {} },
    });
    const [model] = models.values();
    if (model === undefined) throw new Error("there is no model");
    expect(styleBCapabilities(model)).toEqual({
      ...STYLE_B,
      effort: { supported: true, low: YES, medium: YES, high: YES, xhigh: YES, max: YES },
      image_input: YES,
      pdf_input: YES,
      server_tools: { ...YES, web_search: YES, code_execution: NO },
      structured_outputs: YES,
    });
  });

  test("has the fields of both styles", () => {
    expect(modelObject(configuration, KEY, "acme/swift", PLAIN)).toEqual({
      id: "acme/swift",
      object: "model",
      type: "model",
      display_name: "Swift",
      name: "Swift",
      pricing: {
        ...{ prompt: "0.000001", completion: "0.000001", request: "0", image: "0", web_search: "0" },
        ...{ internal_reasoning: "0", input_cache_read: "0.000001", input_cache_write: "0.000001" },
      },
      created: 1_788_220_800,
      created_at: "2026-09-01T00:00:00Z",
      owned_by: "acme-labs",
      context_length: 200_000,
      max_completion_tokens: 32_000,
      max_input_tokens: 200_000,
      max_tokens: 32_000,
      architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
      capabilities: {
        streaming: true,
        tools: true,
        json: false,
        vision: true,
        thinking: true,
        reasoning: { toggle: true, effort: ["low", "high"], budget_tokens: { min: 1024 } },
        ...STYLE_B,
        effort: { supported: true, low: YES, medium: NO, high: YES, xhigh: NO, max: NO },
        image_input: YES,
      },
      kind: "chat",
    });
  });

  test("leaves out what is unknown, and reasoning where there is none", () => {
    const plain = modelObject(configuration, KEY, "acme/plain", PLAIN);
    for (const field of ["context_length", "max_completion_tokens", "root"]) expect(plain).not.toHaveProperty(field);
    expect(plain?.capabilities).not.toHaveProperty("reasoning");
    expect(plain).toMatchObject({
      max_input_tokens: null,
      max_tokens: null,
      created: 0,
      created_at: "1970-01-01T00:00:00Z",
    });
  });

  test("of an alias has the alias's name, the root, and all else of the target", () => {
    const { id, root, ...rest } =
      modelObject(configuration, { ...KEY, aliases: [{ name: "fast", model: "acme/swift" }] }, "fast", PLAIN) ?? {};
    const { id: _id, ...target } = modelObject(configuration, KEY, "acme/swift", PLAIN) ?? {};
    expect([id, root]).toEqual(["fast", "acme/swift"]);
    expect(rest).toEqual(target);
  });

  test("of a prefix alias has the name that was asked for", () => {
    const key = { ...KEY, prefix_aliases: [{ prefix: "gpt-", model: "acme/plain" }] };
    expect(modelObject(configuration, key, "gpt-9-turbo", PLAIN)).toMatchObject({
      id: "gpt-9-turbo",
      root: "acme/plain",
      kind: "chat",
    });
  });

  test("is not there for a model that is not, or that the key may not use", () => {
    expect(modelObject(configuration, KEY, "acme/none", PLAIN)).toBeNull();
    expect(modelObject(configuration, { ...KEY, models: ["acme/p*"] }, "acme/swift", PLAIN)).toBeNull();
  });
});

describe("the list of models", () => {
  test("has the prices that are in effect, from the moment of their date", () => {
    const dated = loadConfiguration({
      ...{ file_text: DATED, file_name: "camino.yaml", env: {} },
    });
    const promptAt = (date: string) => {
      const listed: Envelope = JSON.parse(listModels(dated, KEY, null, plainReader(Date.parse(date))));
      return listed.data.map(({ pricing }) => pricing.prompt);
    };
    expect(promptAt("2026-11-30")).toEqual(["0.000001"]);
    expect(promptAt("2026-12-01")).toEqual(["0.0000025"]);
  });

  test("is an envelope of both styles with the whole catalogue", () => {
    expect(list({}, null)).toMatchObject({
      object: "list",
      has_more: false,
      first_id: "acme/swift",
      last_id: "acme/plain",
    });
  });

  test.each<[ListedKind, string[]]>([
    [null, ["acme/swift", "acme/plain"]],
    ["chat", ["acme/swift", "acme/plain"]],
    ["decision", ["acme/judge"]],
    ["all", ["acme/swift", "acme/plain", "acme/judge"]],
  ])("of kind %p is %j", (kind, ids) => {
    expect(idsOf({}, kind)).toEqual(ids);
  });

  test("says each entry's kind only when asked for one", () => {
    for (const entry of list({}, null).data) expect(entry).not.toHaveProperty("kind");
    expect(list({}, "chat").data.map(({ kind }) => kind)).toEqual(["chat", "chat"]);
    expect(list({}, "all").data.map(({ kind }) => kind)).toEqual(["chat", "chat", "decision"]);
  });

  test("shows a model as it is shown alone", () => {
    for (const entry of list({}, "all").data) {
      const alone = modelObject(configuration, KEY, entry.id, PLAIN);
      expect(alone).toEqual(entry);
    }
  });

  test("begins with the key's aliases, prefixes with a star, each with its root and the target's capabilities", () => {
    const key = {
      aliases: [{ name: "fast", model: "acme/plain" }],
      prefix_aliases: [{ prefix: "claude-", model: "acme/swift" }],
    };
    const { data, first_id, last_id } = list(key, "all");
    expect(data.slice(0, 2)).toMatchObject([
      { id: "fast", root: "acme/plain", kind: "chat", capabilities: { thinking: false } },
      { id: "claude-*", root: "acme/swift", kind: "chat", capabilities: { thinking: true } },
    ]);
    expect(data).toHaveLength(5);
    expect([first_id, last_id]).toEqual(["fast", "acme/judge"]);
  });

  test("has the gateway's aliases after the key's, without those that an alias of the key hides", () => {
    const gateway = {
      names: new Map([
        ["fast", "acme/swift"],
        ["slow", "acme/plain"],
        ["judge", "acme/judge"],
      ]),
      prefixes: [{ prefix: "claude-", model: "acme/swift" }],
    };
    const key = { ...KEY, aliases: [{ name: "fast", model: "acme/plain" }] };
    const listed = JSON.parse(listModels({ ...configuration, aliases: gateway }, key, "chat", PLAIN)) as Envelope;
    expect(listed.data.slice(0, 3).map(({ id, root }) => [id, root])).toEqual([
      ["fast", "acme/plain"],
      ["slow", "acme/plain"],
      ["claude-*", "acme/swift"],
    ]);
    const hidden = JSON.parse(
      listModels({ ...configuration, aliases: gateway }, { ...KEY, models: ["acme/plain"] }, "chat", PLAIN),
    );
    expect((hidden as Envelope).data.map(({ id }) => id)).toEqual(["slow", "acme/plain"]);
  });

  test("has an alias only where its target belongs, exists, and is not hidden", () => {
    const aliases = [
      { name: "judge", model: "acme/judge" },
      { name: "gone", model: "acme/gone" },
      { name: "acme/plain", model: "acme/swift" },
    ];
    expect(idsOf({ aliases }, "chat")).toEqual(["acme/swift", "acme/plain"]);
    expect(idsOf({ aliases }, "decision")).toEqual(["judge", "acme/judge"]);
  });

  test("has only what the key may use", () => {
    const aliases = [
      { name: "fast", model: "acme/swift" },
      { name: "plain", model: "acme/plain" },
    ];
    expect(idsOf({ aliases, models: ["acme/p*", "acme/j*"] }, "all")).toEqual(["plain", "acme/plain", "acme/judge"]);
    const { first_id, last_id } = list({ models: ["acme/swift"] }, null);
    expect([first_id, last_id]).toEqual(["acme/swift", "acme/swift"]);
  });

  test("may be empty", () => {
    expect(list({ models: [] }, null)).toEqual({
      object: "list",
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    });
    const empty = loadConfiguration({ file_text: null, file_name: "camino.yaml", env: {} });
    expect(JSON.parse(listModels(empty, KEY, "all", PLAIN))).toMatchObject({ data: [], first_id: null, last_id: null });
  });

  test("shows one key nothing of another", () => {
    list({ aliases: [{ name: "mine", model: "acme/swift" }] }, null);
    expect(idsOf({})).toEqual(["acme/swift", "acme/plain"]);
  });
});
