import { describe, expect, test } from "bun:test";
import { loadConfiguration } from "../configuration/load-configuration.ts";

const load = (api_keys: string, env: Record<string, string> = {}) =>
  loadConfiguration({
    file_text: `vendors: { acme: { protocol: messages, base_url: "http://127.0.0.1:9", ${api_keys} } }`,
    file_name: "camino.yaml",
    env,
  }).vendors.get("acme");

describe("several credentials of a vendor", () => {
  test("have names and weights of their own, or by their position", () => {
    const vendor = load('api_keys: [{ key: "${ONE}", weight: 2 }, { key: two-secret, name: spare }]', {
      ONE: "one-secret",
    });
    expect(vendor?.api_keys).toEqual([
      { name: "key-1", api_key: "one-secret", weight: 2 },
      { name: "spare", api_key: "two-secret", weight: 1 },
    ]);
    expect(vendor?.api_key).toBe("one-secret");
  });

  test.each([
    ["api_keys: []", "an empty list"],
    ["api_keys: [{ weight: 1 }]", "api_keys[0].key"],
    ["api_keys: [{ key: a, name: x }, { key: b, name: x }]", 'the name "x" again'],
    ["api_keys: [{ key: a, name: key-2 }, { key: b }]", 'the name "key-2" again'],
    ["api_keys: [{ key: a, weight: 0 }]", "a number above 0"],
    ["api_keys: [{ key: a, name: 'no blanks' }]", "1 to 40 letters"],
    ["api_key: a, api_keys: [{ key: b }]", "api_keys beside api_key"],
  ])("are refused: %s", (file, words) => {
    expect(() => load(file)).toThrow(words);
  });

  test("are not shown in what is said of a mistake", () => {
    expect(() => load('api_keys: [{ key: "canary\\n" }]')).not.toThrow("canary");
  });
});
