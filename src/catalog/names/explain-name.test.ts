import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { explainName } from "./explain-name.ts";
import { resolveModel } from "./resolve-model.ts";

const IDS = ["a/x", "a/y", "b/x"];
const configuration = loadConfiguration({
  file_text: `
vendors:
  v: { protocol: chat-completions, base_url: "http://127.0.0.1:1/v1" }
models:
${IDS.map((id) => `  ${id}: { price: { input: 1, output: 1 }, routes: [{ vendor: v }] }`).join("\n")}
`,
  file_name: "camino.yaml",
  env: {},
});

const KEY = keyRecord({
  aliases: [
    { name: "fast", model: "a/x" },
    { name: "gone", model: "a/gone" },
    { name: "closed", model: "b/x" },
    { name: "a/y", model: "a/x" },
  ],
  prefix_aliases: [
    { prefix: "claude-", model: "a/x" },
    { prefix: "claude-big", model: "a/y" },
  ],
  models: ["a/*"],
});

describe("a name is explained", () => {
  const CASES: [name: string, rule: string, via: string | null, target: string | null, hidden: string | null][] = [
    ["a/x", "id", null, "a/x", null],
    ["a/y", "id", null, "a/y", "a/y"],
    ["b/x", "not-allowed", null, "b/x", null],
    ["fast", "alias", "fast", "a/x", null],
    ["gone", "target-missing", "gone", "a/gone", null],
    ["closed", "not-allowed", "closed", "b/x", null],
    ["claude-3", "prefix-alias", "claude-*", "a/x", null],
    ["claude-bigger", "prefix-alias", "claude-big*", "a/y", null],
    ["faster", "not-found", null, null, null],
    [`claude-${"x".repeat(300)}`, "not-found", null, null, null],
  ];
  for (const [name, rule, via, target, hidden_alias] of CASES) {
    test(`${name.slice(0, 30)}: ${rule}`, () => {
      expect(explainName(configuration, KEY, name)).toMatchObject({ rule, via, target, hidden_alias });
    });
  }
});

test("the model that an explanation names is the one that a request would reach, whatever the key", () => {
  const name = fc.constantFrom(...IDS, "fast", "claude-", "claude-1", "c", "none");
  const target = fc.constantFrom(...IDS, "a/gone");
  const key = fc.record({
    aliases: fc.array(fc.record({ name, model: target }), { maxLength: 3 }),
    prefix_aliases: fc.array(fc.record({ prefix: name, model: target }), { maxLength: 3 }),
    models: fc.option(fc.array(fc.constantFrom("a/*", "b/x", "*y"), { minLength: 1, maxLength: 2 })),
  });
  fc.assert(
    fc.property(key, name, (fields, asked) => {
      const record = { ...KEY, ...fields };
      const { model, rule } = explainName(configuration, record, asked);
      expect(model).toBe(resolveModel(configuration, record, asked)?.model ?? null);
      expect(model !== null).toBe(["id", "alias", "prefix-alias"].includes(rule));
    }),
  );
});
