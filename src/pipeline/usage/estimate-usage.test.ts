import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { UsageEstimator } from "./estimate-usage.ts";

const estimator = new UsageEstimator();
afterAll(() => estimator.close());

test("counts the texts of input and output by a tokenizer", async () => {
  const request_body = { messages: [{ role: "user", content: "The quick brown fox jumps over the lazy dog." }] };
  const estimate = await estimator.estimate({ request_body, output_sample: "Hello there, friend.", output_bytes: 20 });
  expect(estimate.input_tokens).toBeGreaterThanOrEqual(10);
  expect(estimate.input_tokens).toBeLessThanOrEqual(20);
  expect(estimate.output_tokens).toBeGreaterThanOrEqual(4);
  expect(estimate.output_tokens).toBeLessThanOrEqual(6);
});

test("counts output beyond the sample in proportion", async () => {
  const output_sample = "one two three four five six seven eight nine ten ";
  const whole = await estimator.estimate({ request_body: null, output_sample, output_bytes: output_sample.length });
  const longer = await estimator.estimate({
    request_body: null,
    output_sample,
    output_bytes: output_sample.length * 10,
  });
  expect(longer.output_tokens).toBe(whole.output_tokens * 10);
});

test("without a sample the estimate is a share of the bytes", async () => {
  expect(await estimator.estimate({ request_body: null, output_sample: "", output_bytes: 400 })).toEqual({
    input_tokens: 0,
    output_tokens: 100,
  });
});

test("text that makes tokenizers quadratic is counted without blocking the serving thread", async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const request_body = { input: "a".repeat(200_000) };
  const { input_tokens } = await estimator.estimate({ request_body, output_sample: "", output_bytes: 0 });
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

describe("an estimate always comes", () => {
  test("for any texts, half characters and special marks among them", async () => {
    const text = fc.oneof(
      fc.string({ unit: CODE_POINT, maxLength: 300 }),
      fc.constantFrom("\ud800", "\udc00x", "<|endoftext|>", "\0", "\uffff", "👩‍👩‍👧".repeat(400)),
    );
    const body = fc.dictionary(fc.string(), fc.oneof(text, fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(body, text, fc.nat(10_000), async (request_body, output_sample, output_bytes) => {
        const estimate = await estimator.estimate({ request_body, output_sample, output_bytes });
        for (const tokens of [estimate.input_tokens, estimate.output_tokens]) {
          expect(Number.isSafeInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  /** Workers that fail in each way that a worker can. */
  const WORKERS: Readonly<Record<string, string>> = {
    "ends itself": "self.onmessage = () => process.exit(0)",
    throws: "self.onmessage = () => { throw new Error('out of order') }",
    "cannot be loaded": "this is no program",
    "answers with nonsense": "self.onmessage = ({ data: { id } }) => postMessage({ id, tokens: [Number.NaN] })",
    "answers that it cannot": "self.onmessage = ({ data: { id } }) => postMessage({ id, tokens: null })",
  };

  async function expectBytes(startWorker: () => Worker, patience_ms?: number): Promise<void> {
    const own = new UsageEstimator(startWorker, patience_ms);
    try {
      const asked = { request_body: null, output_sample: "x".repeat(400), output_bytes: 400 };
      const estimates = await Promise.all([own.estimate(asked), own.estimate(asked), own.countTexts(["y".repeat(40)])]);
      const expected = { input_tokens: 0, output_tokens: 100 };
      expect(estimates).toEqual([expected, expected, 10]);
      expect(await own.estimate(asked)).toEqual(expected);
    } finally {
      own.close();
    }
  }

  test.each(Object.entries(WORKERS))("where the worker %s", async (_name, program) => {
    const url = URL.createObjectURL(new Blob([program], { type: "application/javascript" }));
    await expectBytes(() => new Worker(url));
  });

  test("where no worker can be started", async () => {
    await expectBytes(() => {
      throw new Error("no thread is left");
    });
  });

  test("where nothing can be sent to the worker", async () => {
    await expectBytes(() => {
      const worker = new Worker(URL.createObjectURL(new Blob([""])));
      worker.postMessage = () => {
        throw new Error("out of memory");
      };
      return worker;
    });
  });

  test("where the worker hangs, after a while", async () => {
    const url = URL.createObjectURL(new Blob(["self.onmessage = () => { for (;;); }"]));
    await expectBytes(() => new Worker(url), 200);
  });
});

test("a thread that is slow to load its tables is left to load them, and counts from then on", async () => {
  // A question while the tables load is answered too late for its caller.
  const program = `let is_loaded = false;
    self.onmessage = ({ data: { id, texts } }) => {
      if (is_loaded) postMessage({ id, tokens: texts.map(() => 7) });
      is_loaded = true;
    };`;
  const url = URL.createObjectURL(new Blob([program], { type: "application/javascript" }));
  let started = 0;
  const startWorker = (): Worker => {
    started += 1;
    return new Worker(url);
  };
  const slow = new UsageEstimator(startWorker, 2000);
  try {
    expect(await slow.countTexts(["y".repeat(40)])).toBe(10);
    while ((await slow.countTexts(["y".repeat(40)])) !== 7);
    expect(started).toBe(1);
  } finally {
    slow.close();
  }
});
