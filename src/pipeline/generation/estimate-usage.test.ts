import { afterAll, expect, test } from "bun:test";
import { UsageEstimator } from "./estimate-usage.ts";

const estimator = new UsageEstimator();
afterAll(() => estimator.close());

test("counts the texts of input and output by a tokenizer", async () => {
  const request_text = JSON.stringify({
    messages: [{ role: "user", content: "The quick brown fox jumps over the lazy dog." }],
  });
  const estimate = await estimator.estimate({ request_text, output_sample: "Hello there, friend.", output_bytes: 20 });
  expect(estimate.input_tokens).toBeGreaterThanOrEqual(10);
  expect(estimate.input_tokens).toBeLessThanOrEqual(20);
  expect(estimate.output_tokens).toBeGreaterThanOrEqual(4);
  expect(estimate.output_tokens).toBeLessThanOrEqual(6);
});

test("counts output beyond the sample in proportion", async () => {
  const output_sample = "one two three four five six seven eight nine ten ";
  const whole = await estimator.estimate({ request_text: null, output_sample, output_bytes: output_sample.length });
  const longer = await estimator.estimate({
    request_text: null,
    output_sample,
    output_bytes: output_sample.length * 10,
  });
  expect(longer.output_tokens).toBe(whole.output_tokens * 10);
});

test("without a sample the estimate is a share of the bytes", async () => {
  expect(await estimator.estimate({ request_text: null, output_sample: "", output_bytes: 400 })).toEqual({
    input_tokens: 0,
    output_tokens: 100,
  });
});

test("text that makes tokenizers quadratic is counted without blocking the serving thread", async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const request_text = JSON.stringify({ input: "a".repeat(200_000) });
  const { input_tokens } = await estimator.estimate({ request_text, output_sample: "", output_bytes: 0 });
  clearInterval(timer);
  expect(input_tokens).toBeGreaterThan(20_000);
  expect(turns).toBeGreaterThan(0);
});

test("counts each text apart, so that a bill is the sum of its parts", async () => {
  const texts = ["The customer was charged twice.", "", "Which team?", "billing"];
  const apart = await Promise.all(texts.map((text) => estimator.countTexts([text])));
  expect(await estimator.countTexts(texts)).toBe(apart.reduce((sum, tokens) => sum + tokens, 0));
  expect(apart).toEqual([6, 0, 3, 1]);
  expect(await estimator.countTexts([])).toBe(0);
});

test("counts the texts beyond the sample together, in proportion", async () => {
  const text = "one two three four five six seven eight nine ten ".repeat(4000);
  const once = await estimator.countTexts([text]);
  const tenfold = await estimator.countTexts(Array.from({ length: 10 }, () => text));
  expect(Math.abs(tenfold - once * 10)).toBeLessThan(once / 10);
});

test("counts a tokenizer's special marks as plain text", async () => {
  expect(await estimator.countTexts(["a <|endoftext|> b"])).toBeGreaterThan(5);
  expect(await estimator.countTexts(["The customer was charged twice."])).toBe(6);
});
