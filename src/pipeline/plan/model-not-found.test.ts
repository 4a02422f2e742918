import { describe, expect, test } from "bun:test";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import { loadConfiguration } from "../../catalog/configuration/load-configuration.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { modelNotFound } from "./model-not-found.ts";

function withVendor(id: string) {
  const routes = `routes: [{ vendor: ${id} }], price: { input: 1, output: 1 }`;
  const file_text = `
vendors:
  ${id}: { protocol: chat-completions, base_url: "http://127.0.0.1:1/v1" }
models:
  ${id}/swift: { ${routes} }
  ${id}/steady: { ${routes} }
`;
  return loadConfiguration({ file_text, file_name: "camino.yaml", env: {} });
}

const ACME = withVendor("acme");
const SIMULATED = withVendor("sim");

describe("a model that is not found", () => {
  const cases: [what: string, configuration: typeof ACME, key: Partial<KeyRecord>, name: string, hint: string][] = [
    ["misspelled", ACME, {}, "acme/swiftt", ' Did you mean "acme/swift"?'],
    [
      "a misspelled alias",
      ACME,
      { aliases: [{ name: "quick", model: "acme/swift" }] },
      "qiuck",
      ' Did you mean "quick"?',
    ],
    ["misspelled, of a model that the key may not use", ACME, { models: ["acme/steady"] }, "acme/swiftt", ""],
    ["something else", ACME, {}, "openai/gpt-6-luna", ""],
    ["longer than any id", ACME, {}, `acme/swift${"t".repeat(200)}`, ""],
    ["a known vendor's, beside the simulator alone", SIMULATED, {}, "openai/gpt-6-luna", "OPENAI_API_KEY and restart"],
    ["the same with the demo key", SIMULATED, { models: ["sim/*"] }, "openai/gpt-6-luna", "OPENAI_API_KEY and restart"],
    ["nobody's, beside the simulator alone", SIMULATED, {}, "gpt-6-luna", "such as OPENAI_API_KEY, and restart"],
    ["a real one's, with the demo key", ACME, { models: ["sim/*"] }, "acme/swift", "create another key"],
  ];
  test.each(cases)("%s", (...[, configuration, key, name, hint]) => {
    const { message, code } = modelNotFound(configuration, { ...keyRecord(), ...key }, name);
    expect(code).toBe("model_not_found");
    expect(message).toContain(hint);
    if (hint === "") expect(message).toEndWith("does not exist or you may not use it.");
  });
});
