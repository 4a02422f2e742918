import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import { correctedUsage, findUsage, readUsage, showUsage } from "./usage.ts";

type Counts = readonly [input: number, read: number, write: number, output: number, reasoning: number];
const counts = ([input, read, write, output, reasoning]: Counts): Usage => ({
  input_tokens: input,
  cache_read_tokens: read,
  cache_write_tokens: write,
  output_tokens: output,
  reasoning_tokens: reasoning,
});

describe("a vendor's usage", () => {
  const cases: readonly (readonly [string, unknown, Usage])[] = [
    ["plain", { prompt_tokens: 5, completion_tokens: 3 }, counts([5, 0, 0, 3, 0])],
    [
      "with null details",
      { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: null, completion_tokens_details: null },
      counts([5, 0, 0, 3, 0]),
    ],
    [
      "with cached tokens inside",
      { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } },
      counts([5, 4, 0, 1, 0]),
    ],
    [
      "with cache writes inside",
      { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
      counts([2, 4, 3, 1, 0]),
    ],
    [
      "of DeepSeek",
      { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 1 },
      counts([1, 8, 0, 1, 0]),
    ],
    ["of Moonshot", { prompt_tokens: 9, completion_tokens: 1, cached_tokens: 9 }, counts([0, 9, 0, 1, 0])],
    [
      "with reasoning inside",
      { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10, completion_tokens_details: { reasoning_tokens: 8 } },
      counts([1, 0, 0, 9, 8]),
    ],
    [
      "with reasoning beside the output, shown by the total",
      { prompt_tokens: 1, completion_tokens: 9, total_tokens: 18, completion_tokens_details: { reasoning_tokens: 8 } },
      counts([1, 0, 0, 17, 8]),
    ],
    [
      "with reasoning beside the output, shown by its size",
      { prompt_tokens: 1, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 8 } },
      counts([1, 0, 0, 10, 8]),
    ],
    ["of an embedding-like answer", { prompt_tokens: 7, total_tokens: 7 }, counts([7, 0, 0, 0, 0])],
  ];
  for (const [name, raw, usage] of cases) {
    test(`${name} is read in disjoint classes`, () => expect(readUsage(raw)).toEqual({ usage, rejected: null }));
  }

  for (const raw of [
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1.5 },
    { prompt_tokens: "1", completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 2 ** 31 + 1 },
    { completion_tokens: 1 },
    { prompt_tokens: 3, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } },
    { prompt_tokens: 3, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 2 } },
    { prompt_tokens: 3, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: -1 } },
  ]) {
    test(`${JSON.stringify(raw)} is rejected`, () => expect(readUsage(raw)).toEqual({ usage: null, rejected: raw }));
  }

  for (const raw of [undefined, null, {}, { total_tokens: 5 }, "5"]) {
    test(`${JSON.stringify(raw)} counts as no usage`, () =>
      expect(readUsage(raw)).toEqual({ usage: null, rejected: null }));
  }

  const rare: readonly (readonly [string, object, Usage])[] = [
    [
      "audio input and output",
      {
        ...{ prompt_tokens: 50, completion_tokens: 30 },
        ...{
          prompt_tokens_details: { audio_tokens: 40, text_tokens: 10 },
          completion_tokens_details: { audio_tokens: 25 },
        },
      },
      { ...counts([50, 0, 0, 30, 0]), extra: { parts: { input_audio: 40, output_audio: 25 } } },
    ],
    [
      "cached audio with a count of its own",
      {
        ...{ prompt_tokens: 50, completion_tokens: 1 },
        prompt_tokens_details: { audio_tokens: 40, cached_tokens: 20, cached_tokens_details: { audio_tokens: 15 } },
      },
      { ...counts([30, 20, 0, 1, 0]), extra: { parts: { input_audio: 25, cache_read_audio: 15 } } },
    ],
    [
      "cached audio without a count of its own: as much of it as fits counts as fresh",
      { prompt_tokens: 50, completion_tokens: 1, prompt_tokens_details: { audio_tokens: 40, cached_tokens: 20 } },
      { ...counts([30, 20, 0, 1, 0]), extra: { parts: { input_audio: 30, cache_read_audio: 10 } } },
    ],
    [
      "generated images, in OpenRouter's shape",
      {
        ...{ prompt_tokens: 5, completion_tokens: 1300, cost: 0.04, is_byok: false },
        ...{ completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1290 }, cost_details: { upstream: 1 } },
      },
      { ...counts([5, 0, 0, 1300, 0]), extra: { parts: { output_image: 1290 } } },
    ],
    [
      "searches",
      { prompt_tokens: 5, completion_tokens: 1, server_tool_use: { web_search_requests: 2, web_fetch_requests: 3 } },
      { ...counts([5, 0, 0, 1, 0]), extra: { calls: { web_search: 2 } } },
    ],
    [
      "unknown counts",
      {
        ...{ prompt_tokens: 5, completion_tokens: 1, citation_tokens: 9, num_search_queries: 2, queue_time: 3 },
        prompt_tokens_details: { hologram_tokens: 4, audio_tokens: 0 },
      },
      {
        ...counts([5, 0, 0, 1, 0]),
        extra: { unpriced: ["citation_tokens", "num_search_queries", "hologram_tokens"] },
      },
    ],
  ];
  for (const [name, raw, usage] of rare) {
    test(`with ${name} has parts of its classes`, () => expect(readUsage(raw)).toEqual({ usage, rejected: null }));
  }

  test.each([
    [{ prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { audio_tokens: 6 } }],
    [{ prompt_tokens: 5, completion_tokens: 1, completion_tokens_details: { image_tokens: 2 } }],
    [{ prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { audio_tokens: 1.5 } }],
    [{ prompt_tokens: 5, completion_tokens: 1, server_tool_use: { web_search_requests: -1 } }],
    [{ prompt_tokens: 5, completion_tokens: 1, server_tool_use: { web_search_requests: "many" } }],
  ])("with details beyond their sums is rejected: %j", (raw) => {
    expect(readUsage(raw)).toEqual({ usage: null, rejected: raw });
  });

  test("is read at the top level before Groq's and Moonshot's places", () => {
    const choices = [{ index: 0 }, { index: 1, usage: { a: 3 } }];
    expect(findUsage({ usage: { a: 1 }, x_groq: { usage: { a: 2 } }, choices })).toEqual({ a: 1 });
    expect(findUsage({ usage: null, x_groq: { usage: { a: 2 } }, choices })).toEqual({ a: 2 });
    expect(findUsage({ x_groq: { id: "x" }, choices })).toEqual({ a: 3 });
    expect(findUsage({ choices: [] })).toBeUndefined();
  });
});

describe("the usage that a client is shown", () => {
  const any = fc
    .tuple(fc.nat(9999), fc.nat(9999), fc.nat(9999), fc.nat(9999), fc.nat(9999))
    .map(([input, read, write, output, reasoning]) =>
      counts([input, read, write, output, Math.min(reasoning, output)]),
    );

  test("equals the billed usage, and its total is the sum", () => {
    fc.assert(
      fc.property(any, (usage) => {
        const shown = showUsage(usage);
        expect(readUsage(shown).usage).toEqual(usage);
        expect(shown.total_tokens).toBe(totalInput(usage) + usage.output_tokens);
      }),
    );
  });

  test("has the vendor's counts of media", () => {
    const parts = { input_audio: 25, cache_read_audio: 15, output_image: 3 };
    const usage = { ...counts([30, 20, 0, 4, 0]), extra: { parts } };
    expect(readUsage(showUsage(usage)).usage).toEqual(usage);
  });

  test("is the vendor's own object unless a number in it is wrong", () => {
    fc.assert(
      fc.property(any, fc.nat(), (usage, total) => {
        const raw: Record<string, unknown> = { ...showUsage(usage), cost: 0.1 };
        expect(correctedUsage(raw, usage)).toBeNull();
        const wrong = { ...raw, total_tokens: -total - 1 };
        expect(correctedUsage(wrong, usage)).toEqual(raw);
      }),
    );
  });

  test("has the details that a vendor left out", () => {
    const raw = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10, prompt_cache_hit_tokens: 8 };
    expect(correctedUsage(raw, counts([1, 8, 0, 1, 0]))).toEqual({
      ...raw,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });
});
