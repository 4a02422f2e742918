import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { differencesOf } from "../elements/differences.ts";
import { fileElements, fileElementToKeep } from "../elements/file-elements.ts";
import { canonicalValue, MASKED } from "./element-value.ts";

describe("a value of an element", () => {
  test("has counts as numbers, flags as booleans and everything else as text, however it was sent", () => {
    const sent = {
      context_length: "4096",
      capabilities: { tools: "false", vision: true, reasoning: { budget_tokens: { min: 5 } } },
      price: { input: 3, output: "15.00", tiers: [{ above_input_tokens: "9", input: 0.1 }] },
      name: 4711,
      headers: { min: "5", tools: "true" },
    };
    expect(canonicalValue(sent)).toEqual({
      value: {
        context_length: 4096,
        capabilities: { tools: false, vision: true, reasoning: { budget_tokens: { min: 5 } } },
        price: { input: "3", output: "15.00", tiers: [{ above_input_tokens: 9, input: "0.1" }] },
        name: "4711",
        headers: { min: "5", tools: "true" },
      },
    });
  });

  test.each([
    ["a number that JSON has rounded", { price: { input: 0.1 + 0.2 } }, "price.input"],
    ["what was masked", { headers: { "x-team": MASKED } }, "headers.x-team"],
    ["a list", [1], ""],
    ["a key with nothing", { price: { input: "1", 5: null } }, "price.5"],
    ["nothing in a list", { routes: [null] }, "routes[0]"],
    ["more text than any element needs", { name: "x".repeat(70_000) }, ""],
  ])("is never %s", (_, sent, path) => {
    expect(canonicalValue(sent)).toMatchObject({ path });
  });

  test("is never so deep that reading it would not end", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    expect(canonicalValue(deep)).toMatchObject({ found: "more levels" });
  });

  test("stays as it is when it is read again", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (sent) => {
        const once = canonicalValue(sent);
        if (!("value" in once)) return;
        expect(canonicalValue(once.value)).toEqual(once);
      }),
    );
  });
});

describe("an element of the file", () => {
  const input = {
    file_name: "camino.yaml",
    env: { KEY: "sk-secret", REGION: "eu" },
    file_text: `
vendors:
  acme:
    base_url: "https://\${REGION}.acme.example/v1"
    api_key: "\${KEY}"
    headers: { x-team: literal, "x.dotted": literal, x-key: "Bearer \${KEY}" }
  other: { aws: { access_key_id: AKIA, secret_access_key: shh, region: eu-1 }, google_service_account: "{}" }
models: { acme/x: }
limits: { default_key: { rpm: 5 } }
`,
  };

  test("is shown without its secrets", () => {
    const shown = fileElements(input);
    expect(shown.get("vendor acme")?.value).toEqual({
      base_url: "https://${REGION}.acme.example/v1",
      api_key: "${KEY}",
      headers: { "x-team": MASKED, "x.dotted": MASKED, "x-key": "Bearer ${KEY}" },
    });
    const aws = { access_key_id: MASKED, secret_access_key: MASKED, region: "eu-1" };
    expect(shown.get("vendor other")?.value).toEqual({ aws, google_service_account: MASKED });
    expect(shown.get("model acme/x")?.value).toEqual({});
    expect(shown.get("limits default")?.value).toEqual({ default_key: { rpm: 5 } });
  });

  test("is taken over without credentials and headers, with what its variables say elsewhere", () => {
    expect(fileElementToKeep(input, { kind: "vendor", id: "acme" })).toEqual({
      base_url: "https://eu.acme.example/v1",
    });
    expect(fileElementToKeep(input, { kind: "vendor", id: "none" })).toBeNull();
  });
});

test("a difference names the leaves that are not alike", () => {
  const before = { price: { input: "1", tiers: [{ input: "2" }] }, name: "x", gone: true };
  const after = { price: { input: "1", tiers: [{ input: "3" }, { input: "4" }] }, name: "x", came: [1] };
  expect(differencesOf(before, after)).toEqual([
    { path: "price.tiers[0].input", before: "2", after: "3" },
    { path: "price.tiers[1]", before: undefined, after: { input: "4" } },
    { path: "gone", before: true, after: undefined },
    { path: "came", before: undefined, after: [1] },
  ]);
  expect(differencesOf("a", "b")).toEqual([{ path: "", before: "a", after: "b" }]);
  expect(differencesOf(before, before)).toEqual([]);
});
