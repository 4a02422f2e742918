import { expect, test } from "bun:test";
import { readGeminiUsage } from "./gemini-usage.ts";

const usage = { input_tokens: 90, cache_read_tokens: 10, cache_write_tokens: 0, output_tokens: 7, reasoning_tokens: 2 };
const RAW = {
  ...{ promptTokenCount: 100, cachedContentTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 2 },
  totalTokenCount: 107,
};
const detail = (modality: string, tokenCount: unknown) => ({ modality, tokenCount });

test("a usage of Gemini counts audio, images and video apart, also among cached tokens", () => {
  const raw = {
    ...RAW,
    promptTokensDetails: [detail("TEXT", 20), detail("AUDIO", 50), detail("VIDEO", 30)],
    cacheTokensDetails: [detail("AUDIO", 10)],
    candidatesTokensDetails: [detail("TEXT", 1), detail("IMAGE", 4)],
  };
  const parts = { input_audio: 40, cache_read_audio: 10, input_video: 30, output_image: 4 };
  expect(readGeminiUsage(raw)).toEqual({ ...usage, extra: { parts } });
});

test("media in tool results are counted as input", () => {
  const raw = { ...RAW, toolUsePromptTokenCount: 5, toolUsePromptTokensDetails: [detail("IMAGE", 5)] };
  expect(readGeminiUsage(raw)).toEqual({ ...usage, input_tokens: 95, extra: { parts: { input_image: 5 } } });
});

test("a usage of text and documents only has no media counts", () => {
  const raw = { ...RAW, promptTokensDetails: [detail("TEXT", 60), detail("DOCUMENT", 40)] };
  expect(readGeminiUsage(raw)).toEqual(usage);
});

test.each([[[detail("AUDIO", 101)]], [[detail("AUDIO", -1)]], [[detail("AUDIO", "many")]]])(
  "a usage with details beyond its sum is rejected: %j",
  (promptTokensDetails) => expect(readGeminiUsage({ ...RAW, promptTokensDetails })).toBeNull(),
);
