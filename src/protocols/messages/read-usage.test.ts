import { describe, expect, test } from "bun:test";
import { readUsage, writeUsage } from "./read-usage.ts";

const RAW = {
  ...{ input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 3, cache_creation_input_tokens: 9 },
  ...{ service_tier: "standard", inference_geo: "global" },
};
const usage = {
  ...{ input_tokens: 10, cache_read_tokens: 3, cache_write_tokens: 9, output_tokens: 4, reasoning_tokens: 0 },
  served: { service_tier: "standard" },
};

describe("a usage of messages", () => {
  test("counts cache writes for an hour apart from cache writes for five minutes", () => {
    const raw = { ...RAW, cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 7 } };
    const read = readUsage(raw);
    const unpriced = ["ephemeral_1h_input_tokens"];
    expect(read).toEqual({ ...usage, extra: { parts: { cache_write_1h: 7 }, unpriced } });
    expect(read && writeUsage(read)).toMatchObject({ cache_creation: raw.cache_creation });
  });

  test.each([
    [{ ephemeral_12h_input_tokens: 9 }, { parts: { cache_write_12h: 9 }, unpriced: ["ephemeral_12h_input_tokens"] }],
    [
      { ephemeral_12h_input_tokens: 4, ephemeral_1h_input_tokens: 2, ephemeral_5m_input_tokens: 3 },
      {
        parts: { cache_write_12h: 4, cache_write_1h: 2 },
        unpriced: ["ephemeral_12h_input_tokens", "ephemeral_1h_input_tokens"],
      },
    ],
    [{ ephemeral_3d_input_tokens: 9 }, { unpriced: ["ephemeral_3d_input_tokens"] }],
    [{ eternal_input_tokens: 9 }, { unpriced: ["eternal_input_tokens"] }],
    // What the sum counts beyond the lifetimes is of none that anybody knows.
    [{ ephemeral_5m_input_tokens: 6 }, { unpriced: ["cache_creation_input_tokens"] }],
  ])("counts writes by lifetimes: %j", (cache_creation, extra) => {
    expect(readUsage({ ...RAW, cache_creation })).toEqual({ ...usage, extra });
  });

  test("has the writes that only their lifetimes count", () => {
    const { cache_creation_input_tokens: _, ...raw } = RAW;
    expect(readUsage({ ...raw, cache_creation: { ephemeral_5m_input_tokens: 9 } })).toEqual(usage);
  });

  test("names counts within objects that nobody knows", () => {
    const raw = { ...RAW, dream_details: { dream_tokens: 3, mood: 7 }, output_tokens_details: { thinking_tokens: 0 } };
    expect(readUsage(raw)).toEqual({ ...usage, extra: { unpriced: ["dream_tokens"] } });
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
