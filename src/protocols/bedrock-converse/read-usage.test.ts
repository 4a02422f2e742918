import { expect, test } from "bun:test";
import { readUsage } from "./answer-reader.ts";

const RAW = { inputTokens: 10, outputTokens: 4, totalTokens: 23, cacheWriteInputTokens: 9 };
const usage = { input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 9, output_tokens: 4, reasoning_tokens: 0 };

test("a usage of Converse counts tokens that are cached for an hour apart", () => {
  const cacheDetails = [
    { ttl: "5m", inputTokens: 2 },
    { ttl: "1h", inputTokens: 7 },
  ];
  const extra = { parts: { cache_write_1h: 7 }, unpriced: ["cacheDetails_1h_inputTokens"] };
  expect(readUsage({ ...RAW, cacheDetails })).toEqual({ ...usage, extra });
  expect(readUsage({ ...RAW, cacheDetails: [{ ttl: "12h", inputTokens: 9 }] })?.extra?.parts).toEqual({
    cache_write_12h: 9,
  });
  expect(readUsage({ ...RAW, cacheDetails: [] })).toEqual(usage);
  expect(readUsage({ ...RAW, cacheDetails: [{ ttl: "1h", inputTokens: 10 }] })).toBeNull();
  expect(readUsage({ ...RAW, cacheDetails: [{ ttl: "1h", inputTokens: "x" }] })).toBeNull();
});
