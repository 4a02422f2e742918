import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import type { GatewayAliases } from "../../core/catalog/catalog.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { priceAt } from "../prices/price-at.ts";
import { checkAlias } from "./aliases.ts";
import { resolveModel } from "./resolve-model.ts";

const IDS = ["a/x", "a/xy", "ab/x", "b/x:1", "b/judge"];
const configuration = loadConfiguration({
  file_text: `
vendors:
  v: { protocol: [chat-completions, decisions], base_url: "http://127.0.0.1:1/v1" }
models:
${IDS.map((id) => `  ${id}: { kind: ${id.endsWith("judge") ? "decision" : "chat"}, price: { input: 1${id.endsWith("judge") ? "" : ", output: 1"} }, routes: [{ vendor: v }] }`).join("\n")}
`,
  file_name: "camino.yaml",
  env: {},
});

const KEY = keyRecord();

const resolve = (key: Partial<KeyRecord>, name: string, aliases?: GatewayAliases) => {
  const named = aliases === undefined ? configuration : { ...configuration, aliases };
  const resolved = resolveModel(named, { ...KEY, ...key }, name);
  return resolved === null ? null : [resolved.model.id, resolved.alias];
};

describe("a name is resolved", () => {
  test("to the model of that id", () => {
    expect(resolve({}, "a/x")).toEqual(["a/x", null]);
    expect(resolve({}, "a/none")).toBeNull();
    expect(resolve({}, "toString")).toBeNull();
  });

  test("by an alias, which keeps its name", () => {
    const key = { aliases: [{ name: "fast", model: "a/x" }] };
    expect(resolve(key, "fast")).toEqual(["a/x", "fast"]);
    expect(resolve(key, "faster")).toBeNull();
  });

  test("by the longest prefix that fits", () => {
    const prefix_aliases = [
      { prefix: "claude-", model: "a/x" },
      { prefix: "claude-opus", model: "a/xy" },
    ];
    expect(resolve({ prefix_aliases }, "claude-haiku")).toEqual(["a/x", "claude-haiku"]);
    expect(resolve({ prefix_aliases }, "claude-opus-9")).toEqual(["a/xy", "claude-opus-9"]);
    expect(resolve({ prefix_aliases }, "claude-")).toEqual(["a/x", "claude-"]);
    expect(resolve({ prefix_aliases }, "claude")).toBeNull();
  });

  test("by no prefix where the name is text that a database cannot store", () => {
    const prefix_aliases = [{ prefix: "claude-", model: "a/x" }];
    for (const end of ["\0", "x\n", "\u007f", "\ud800", "\udc00x"]) {
      expect(resolve({ prefix_aliases }, `claude-${end}`)).toBeNull();
    }
    expect(resolve({ prefix_aliases }, "claude-é😀")).toEqual(["a/x", "claude-é😀"]);
  });

  test("by an exact alias before any prefix", () => {
    const key = {
      aliases: [{ name: "claude-opus", model: "ab/x" }],
      prefix_aliases: [{ prefix: "claude-opus", model: "a/xy" }],
    };
    expect(resolve(key, "claude-opus")).toEqual(["ab/x", "claude-opus"]);
  });

  test("to a real id before every alias", () => {
    const key = { aliases: [{ name: "a/x", model: "ab/x" }], prefix_aliases: [{ prefix: "a", model: "b/x:1" }] };
    expect(resolve(key, "a/x")).toEqual(["a/x", null]);
    expect(resolve(key, "a/z")).toEqual(["b/x:1", "a/z"]);
  });

  test("in one hop: an alias of an alias leads nowhere", () => {
    const aliases = [
      { name: "one", model: "two" },
      { name: "two", model: "a/x" },
    ];
    expect(resolve({ aliases }, "one")).toBeNull();
  });

  test("only to models that the key may use, the target's id being what counts", () => {
    const aliases = [{ name: "fast", model: "a/x" }];
    expect(resolve({ aliases, models: ["b/*"] }, "fast")).toBeNull();
    expect(resolve({ aliases, models: ["fast"] }, "fast")).toBeNull();
    expect(resolve({ aliases, models: ["a/*"] }, "fast")).toEqual(["a/x", "fast"]);
    // A real id hides an alias of that name even when the key may not use the model.
    expect(resolve({ aliases: [{ name: "a/x", model: "ab/x" }], models: ["ab/*"] }, "a/x")).toBeNull();
  });

  test.each([
    ["a/x", ["a/x"]],
    ["a/*", ["a/x", "a/xy"]],
    ["*/x", ["a/x", "ab/x"]],
    ["*", IDS],
    ["b/x.1", []],
    ["a/x?", []],
    ["**x**", ["a/x", "a/xy", "ab/x", "b/x:1"]],
    ["(a|b)/x", []],
  ])("with the pattern %s to %j", (pattern, allowed) => {
    expect(IDS.filter((id) => resolve({ models: [pattern] }, id) !== null)).toEqual(allowed);
  });

  test("never by a key whose list of patterns is empty", () => {
    expect(resolve({ models: [] }, "a/x")).toBeNull();
  });

  test("as the rule says, whatever the aliases", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "/", "x", "y"), minLength: 1, maxLength: 5 });
    const target = fc.constantFrom(...IDS, "gone/1", "a");
    const named = fc.uniqueArray(fc.record({ name, model: target }), { selector: (alias) => alias.name, maxLength: 4 });
    const covering = fc.uniqueArray(fc.record({ prefix: name, model: target }), {
      selector: (alias) => alias.prefix,
      maxLength: 4,
    });
    const keys = fc.record({
      aliases: named,
      prefix_aliases: covering,
      models: fc.option(fc.subarray(["a/*", "*x", "b/judge", "ab/x"])),
    });
    fc.assert(
      fc.property(keys, fc.option(fc.tuple(named, covering)), name, (key, gateway, asked) => {
        const [names, prefixes] = gateway ?? [[], []];
        const aliases =
          gateway === null
            ? undefined
            : {
                names: new Map(names.map((alias) => [alias.name, alias.model])),
                prefixes: prefixes.toSorted((one, other) => other.prefix.length - one.prefix.length),
              };
        expect(resolve(key, asked, aliases)).toEqual(naively(key, asked, { aliases: names, prefix_aliases: prefixes }));
      }),
      { numRuns: 500 },
    );
  });
});

/** A second implementation of docs/rulings.md 20, sentence by sentence, to compare with. */
function naively(
  key: Pick<KeyRecord, "aliases" | "prefix_aliases" | "models">,
  name: string,
  gateway: Pick<KeyRecord, "aliases" | "prefix_aliases">,
) {
  const usable = (id: string) => {
    const allowed = key.models === null || key.models.some((pattern) => globs(pattern, id));
    return IDS.includes(id) && allowed;
  };
  if (IDS.includes(name)) return usable(name) ? [name, null] : null;
  const target = aliasOf(key, name) ?? aliasOf(gateway, name);
  return target !== undefined && usable(target) ? [target, name] : null;
}

function aliasOf({ aliases, prefix_aliases }: Pick<KeyRecord, "aliases" | "prefix_aliases">, name: string) {
  const exact = aliases.find((alias) => alias.name === name)?.model;
  if (exact !== undefined) return exact;
  for (let length = name.length; length > 0; length -= 1) {
    const covering = prefix_aliases.find(({ prefix }) => prefix === name.slice(0, length));
    if (covering !== undefined) return covering.model;
  }
  return undefined;
}

function globs(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern.startsWith("*")) return globs(pattern.slice(1), text) || (text !== "" && globs(pattern, text.slice(1)));
  return pattern[0] === text[0] && text !== "" && globs(pattern.slice(1), text.slice(1));
}

describe("an alias", () => {
  test.each(["fast", "a", "Claude-4.5:latest/x_y", "x".repeat(128), "a/x"])("may be called %s", (name) => {
    expect(checkAlias(configuration, name, "a/x")).toBeNull();
  });

  test.each(["", "x".repeat(129), "with space", "ümlaut", "a*", "a@b", "line\nbreak"])(
    "may not be called %j",
    (name) => {
      expect(checkAlias(configuration, name, "a/x")).toContain("1 to 128 characters");
    },
  );

  test("needs a model as its target", () => {
    expect(checkAlias(configuration, "fast", "a/none")).toContain('"a/none", which is not in the catalog');
    expect(checkAlias(configuration, "fast", "fast")).not.toBeNull();
  });
});

describe("the price at a time", () => {
  const dated = (prices: string) => {
    const file_text = `
vendors: { v: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }
models: { v/m: { price: ${prices} } }`;
    const model = loadConfiguration({ file_text, file_name: "camino.yaml", env: {} }).models.get("v/m");
    return (day: string) => (model === undefined ? null : priceAt(model, Date.parse(day)).input_micro_per_mtok / 1e6);
  };

  test("is the newest that has taken effect, from the first moment of its day", () => {
    const on = dated(
      "[{ input: 1, output: 1 }, { input: 3, output: 1, from: 2026-09-01 }, { input: 2, output: 1, from: 2026-06-01 }]",
    );
    expect(on("2020-01-01T00:00:00Z")).toBe(1);
    expect(on("2026-05-31T23:59:59.999Z")).toBe(1);
    expect(on("2026-06-01T00:00:00Z")).toBe(2);
    expect(on("2026-08-31T23:59:59.999Z")).toBe(2);
    expect(on("2026-09-01T00:00:00Z")).toBe(3);
    expect(on("2099-01-01T00:00:00Z")).toBe(3);
  });

  test("is the first price of all where none has taken effect", () => {
    const on = dated("[{ input: 5, output: 1, from: 2030-01-01 }, { input: 4, output: 1, from: 2029-01-01 }]");
    expect(on("2026-01-01T00:00:00Z")).toBe(4);
  });
});
