import { describe, expect, test } from "bun:test";
import { unsupportedFeature } from "./unsupported-feature.ts";

const HELLO = { model: "acme/swift", input: "Hi" };

/** Each field with a value that only a vendor of the responses protocol can honour (docs/api.md 4.2). */
const REFUSED: Readonly<Record<string, unknown>> = {
  previous_response_id: "resp_1",
  conversation: { id: "conv_1" },
  store: true,
  background: true,
  include: "file_search_call.results",
  prompt: { id: "pmpt_1" },
  context_management: [{ type: "compaction" }],
};

/** Values that change nothing, can be honoured (docs/rulings.md 11), or are wishes, left out and named (190). */
const ACCEPTED: readonly Readonly<Record<string, unknown>>[] = [
  { store: false },
  { parallel_tool_calls: true },
  { parallel_tool_calls: false },
  { stream_options: { include_obfuscation: false } },
  { service_tier: "auto" },
  { service_tier: "default" },
  { prompt_cache_key: "k" },
  { include: ["reasoning.encrypted_content"] },
  { include: ["reasoning.encrypted_content", "message.output_text.logprobs"] },
  { include: [] },
  { verbosity: "high" },
  { background: false },
  { truncation: "disabled" },
  { truncation: "auto", service_tier: "priority", max_tool_calls: 1, prompt_cache_retention: "24h" },
  { include: ["file_search_call.results"], prompt_cache_options: { ttl: "30m" }, context_management: [] },
  { client_metadata: { a: "b" }, text: { verbosity: "low" } },
];

describe("a field outside the supported surface", () => {
  test.each(Object.entries(REFUSED))("is named when it cannot be honoured: %s", (field, value) => {
    expect(unsupportedFeature({ ...HELLO, [field]: value })).toBe(field);
  });

  test.each(ACCEPTED)("is accepted when it can be honoured, or changes nothing: %j", (fields) => {
    expect(unsupportedFeature({ ...HELLO, ...fields })).toBeNull();
  });

  test.each(Object.keys(REFUSED))("is accepted when it is null: %s", (field) => {
    expect(unsupportedFeature({ ...HELLO, [field]: null })).toBeNull();
  });

  test("is not found in a plain request", () => {
    expect(unsupportedFeature({ ...HELLO, temperature: 1, tools: [], reasoning: { effort: "low" } })).toBeNull();
  });
});
