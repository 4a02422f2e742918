import { describe, expect, test } from "bun:test";
import { readUsage, writeUsage } from "./read-usage.ts";

const RAW = {
  ...{ input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 3, cache_creation_input_tokens: 9 },
  ...{ service_tier: "standard", inference_geo: "global" },
};
const usage = { input_tokens: 10, cache_read_tokens: 3, cache_write_tokens: 9, output_tokens: 4, reasoning_tokens: 0 };

describe("a usage of messages", () => {
  test("counts cache writes for an hour apart from cache writes for five minutes", () => {
    const raw = { ...RAW, cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 7 } };
    const read = readUsage(raw);
    expect(read).toEqual({ ...usage, extra: { parts: { cache_write_1h: 7 } } });
    expect(read && writeUsage(read)).toMatchObject({ cache_creation: raw.cache_creation });
  });

  test("counts searches, leaves free tools out, and lists unknown counts as unpriced", () => {
    const server_tool_use = { web_search_requests: 5, web_fetch_requests: 2, palm_reading_requests: 1 };
    expect(readUsage({ ...RAW, server_tool_use, hologram_tokens: 8 })).toEqual({
      ...usage,
      extra: { calls: { web_search: 5 }, unpriced: ["hologram_tokens", "palm_reading_requests"] },
    });
  });

  test("has only the plain classes where all other counts are 0", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 0 };
    expect(readUsage({ ...RAW, cache_creation, server_tool_use: { web_search_requests: 0 } })).toEqual(usage);
    expect(readUsage(RAW)).toEqual(usage);
  });

  test.each([
    [{ ephemeral_1h_input_tokens: 10 }],
    [{ ephemeral_1h_input_tokens: -1 }],
    [{ ephemeral_1h_input_tokens: "7" }],
  ])("is rejected with %j of nine cache writes", (cache_creation) =>
    expect(readUsage({ ...RAW, cache_creation })).toBeNull(),
  );
});
