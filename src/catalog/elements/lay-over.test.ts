import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../proofs/support/runs.ts";
import type { GivenElement } from "../configuration/element-layer.ts";
import { withGivenCredentials } from "../configuration/given-credential.ts";
import { loadWithOrigins } from "../configuration/load-configuration.ts";
import { layOver } from "./lay-over.ts";

const FILE = `
catalog: none
vendors:
  acme: { protocol: chat-completions, base_url: "https://acme.example/v1", api_key: sk-file, headers: { x-team: a } }
models:
  acme/one: { price: { input: 1, output: 1 }, fallbacks: [acme/two] }
  acme/two: { price: { input: 2, output: 2 } }
  acme/judge: { decide_with: { engine: logprobs, model: acme/one }, price: { input: 1 } }
aliases: { fast: acme/one }
`;
const ENV = { OPENAI_API_KEY: "sk-env", MISTRAL_API_KEY: "sk-mistral" };
const base = loadWithOrigins({ file_text: FILE, file_name: "camino.yaml", env: ENV });

const PRICE = { price: { input: "9", output: "9" } };

function lay(...elements: GivenElement[]) {
  return layOver(base.input, elements, new Set());
}

function vendor(id: string, value: object): GivenElement {
  return { kind: "vendor", id, value: { ...value } };
}

describe("elements laid over the file", () => {
  test("replace what has their id as a whole, and leave the rest", () => {
    const { configuration } = lay({ kind: "model", id: "acme/two", value: PRICE }).loaded;
    expect(configuration.models.get("acme/two")?.prices[0]?.input_micro_per_mtok).toBe(9_000_000);
    expect(configuration.models.get("acme/one")).toEqual(base.configuration.models.get("acme/one") as never);
    expect(base.configuration.models.get("acme/two")?.prices[0]?.input_micro_per_mtok).toBe(2_000_000);
  });

  test("of a retired model take it out of what is offered, and not what falls back to it", () => {
    const { loaded, left_out } = lay({ kind: "model", id: "acme/two", value: { ...PRICE, retired: true } });
    expect([...left_out]).toEqual([]);
    expect([...loaded.configuration.models.keys()]).toEqual(["acme/one", "acme/judge"]);
    expect([...(loaded.configuration.retired?.keys() ?? [])]).toEqual(["acme/two"]);
  });

  test("that do not fit are left out with those that need them; what they replace is not offered at its old price", () => {
    const { loaded, left_out } = lay(
      { kind: "model", id: "acme/two", value: { price: { input: "x", output: "1" } } },
      { kind: "model", id: "acme/new", value: { ...PRICE, routes: [{ vendor: "gone" }] } },
      { kind: "alias", id: "quick", value: "acme/new" },
      { kind: "alias", id: "sound", value: "acme/one" },
    );
    expect([...left_out.keys()].toSorted()).toEqual(["model acme/new", "model acme/two"]);
    expect(loaded.configuration.models.has("acme/two")).toBe(false);
    expect(loaded.configuration.models.has("acme/one")).toBe(true);
    expect([...(loaded.configuration.aliases?.names.keys() ?? [])]).toEqual(["fast", "quick", "sound"]);
  });

  test("that would make the file wrong give way to it", () => {
    const { loaded, left_out } = lay(
      { kind: "model", id: "acme/one", value: { kind: "decision", price: { input: "1" } } },
      { kind: "alias", id: "sound", value: "acme/two" },
    );
    expect([...left_out.keys()]).toEqual(["model acme/one"]);
    expect(loaded.configuration.models.get("acme/one")?.kind).toBe("chat");
    expect(loaded.configuration.aliases?.names.get("sound")).toBe("acme/two");
  });

  test("never stop a gateway whose file is right, whatever they are", () => {
    const ids = fc.constantFrom("acme/one", "acme/two", "acme/judge", "acme/new", "other/x", "bad id");
    const model = fc.record(
      {
        price: fc.constantFrom({ input: "1", output: "1" }, { input: "1" }, "none", { input: "-1", output: "1" }),
        kind: fc.constantFrom("chat", "decision"),
        fallbacks: fc.array(ids, { maxLength: 2 }),
        retired: fc.boolean(),
        routes: fc.array(fc.record({ vendor: fc.constantFrom("acme", "other", "none") }), {
          minLength: 1,
          maxLength: 2,
        }),
        decide_with: fc.record({ engine: fc.constant("logprobs"), model: ids }),
      },
      { requiredKeys: [] },
    );
    const vendors = fc.record(
      {
        protocol: fc.constantFrom("messages", "decisions", "nonsense"),
        base_url: fc.constantFrom("https://acme.example/v1", "https://other.example/v1", "ftp://x"),
      },
      { requiredKeys: [] },
    );
    const elements = fc.oneof(
      fc.tuple(fc.constant("model" as const), ids, model),
      fc.tuple(fc.constant("vendor" as const), fc.constantFrom("acme", "other"), vendors),
      fc.tuple(fc.constant("alias" as const), fc.constantFrom("fast", "a*", "acme/one", "§"), ids),
    );
    const unique = fc.uniqueArray(elements, { maxLength: 6, selector: ([kind, id]) => `${kind} ${id}` });
    fc.assert(
      fc.property(unique, (given) => {
        const { loaded, left_out } = lay(...given.map(([kind, id, value]) => ({ kind, id, value })));
        for (const { routes } of loaded.configuration.models.values()) {
          for (const route of routes) expect(loaded.configuration.vendors.has(route.vendor)).toBe(true);
        }
        for (const problems of left_out.values()) expect(problems.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(60) },
    );
  }, 60_000);
});

describe("credentials stay with the servers that they were given for", () => {
  const ELSEWHERE = { protocol: "chat-completions", base_url: "https://thief.example/v1" };

  test.each([
    ["at the file's server", { protocol: "messages", base_url: "https://acme.example/v2" }, "sk-file"],
    ["at another server", ELSEWHERE, null],
    ["at another port", { protocol: "messages", base_url: "https://acme.example:444/v1" }, null],
    ["without encryption", { protocol: "messages", base_url: "http://acme.example/v1" }, null],
    [
      "at the file's server and another",
      { base_url: { messages: "https://acme.example/v1", "chat-completions": "https://thief.example/v1" } },
      null,
    ],
  ])("of the file %s: %j", (_, value, key) => {
    const { loaded, left_out } = lay(vendor("acme", value));
    expect([...left_out]).toEqual([]);
    const found = loaded.configuration.vendors.get("acme");
    expect(found?.api_key).toBe(key);
    expect(found?.headers).toEqual(key === null ? {} : { "x-team": "a" });
  });

  test("of the environment", () => {
    const away = lay(vendor("openai", ELSEWHERE), vendor("mistral", {})).loaded.configuration.vendors;
    expect(away.get("openai")?.api_key).toBeNull();
    expect(away.get("mistral")?.api_key).toBe("sk-mistral");
  });

  test("of the console, with the servers that were sealed in with them", () => {
    const { loaded } = lay(vendor("acme", ELSEWHERE));
    const keyed = (origins?: string[]) => {
      const given = { api_key: "sk-console", ...(origins !== undefined && { origins }) };
      return withGivenCredentials(loaded, new Map([["acme", given]])).vendors.get("acme")?.api_key;
    };
    expect(keyed(["https://thief.example"])).toBe("sk-console");
    expect(keyed(["https://acme.example"])).toBeNull();
    expect(keyed()).toBeNull();
  });
});
