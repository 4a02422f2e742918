import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { optionLogits, optionProbabilities, softmax } from "../../../simulator/judge/score.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";

const STATE = "The customer wants a refund for the broken lamp.";
const OPTIONS = ["lamp praise", "refund", "praise"];
const TRUTH = optionProbabilities(STATE, OPTIONS);

let simulator: Simulator;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  openai = new OpenAI({ apiKey: "test", baseURL: simulator.base_url, maxRetries: 0 });
});
afterAll(() => simulator.stop());

function request(model: string, options: readonly string[] = OPTIONS) {
  const listed = options.map((option, index) => `${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index]}: ${option}`).join("\n");
  const content = `State: ${STATE}\n\nQuestion: What is it?\n\n${listed}`;
  return { model, max_tokens: 1, logprobs: true, top_logprobs: 20, messages: [{ role: "user" as const, content }] };
}

async function top(model: string, options?: readonly string[]) {
  const completion = await openai.chat.completions.create(request(model, options));
  const [token] = completion.choices[0]?.logprobs?.content ?? [];
  if (token === undefined) throw new Error(`${model} told no log-probabilities`);
  return token;
}

/** The probabilities of the labels, each summed over its spellings. */
async function labelMasses(model: string, options: readonly string[] = OPTIONS): Promise<number[]> {
  const { top_logprobs } = await top(model, options);
  return options.map((_, index) =>
    top_logprobs
      .filter(({ token }) => token.trim() === "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index])
      .reduce((sum, { logprob }) => sum + Math.exp(logprob), 0),
  );
}

function normalised(masses: readonly number[]): number[] {
  const sum = masses.reduce((total, mass) => total + mass, 0);
  return masses.map((mass) => mass / sum);
}

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [index, value] of found.entries()) expect(value).toBeCloseTo(expected[index] ?? -1, 9);
}

describe("judge", () => {
  test("answers with the likeliest label and the log-probabilities of its true opinion, likeliest first", async () => {
    const { choices, usage } = await openai.chat.completions.create(request("judge"));
    expect(choices[0]).toMatchObject({ message: { content: "B" }, finish_reason: "length" });
    expect(usage?.completion_tokens).toBe(1);
    const token = await top("judge");
    expect(token.bytes).toEqual([66]);
    expect(token.top_logprobs[0]).toEqual({ token: "B", logprob: token.logprob, bytes: [66] });
    const logprobs = token.top_logprobs.map(({ logprob }) => logprob);
    expect(logprobs).toEqual(logprobs.toSorted((a, b) => b - a));
    expect(token.top_logprobs.find(({ token: text }) => text === " B")?.bytes).toEqual([32, 66]);
    expectClose(normalised(await labelMasses("judge")), TRUTH);
    expectClose([(await labelMasses("judge")).reduce((sum, mass) => sum + mass, 0)], [0.98]);
  });

  test("streams the same answer", async () => {
    const streamed = await openai.chat.completions.stream(request("judge")).finalChatCompletion();
    expect(streamed.choices[0]?.logprobs?.content?.[0]).toEqual(await top("judge"));
  });

  test("shows as many log-probabilities as are asked for, at most 20, and none where none are", async () => {
    const { choices } = await openai.chat.completions.create({ ...request("judge"), top_logprobs: 2 });
    expect(choices[0]?.logprobs?.content?.[0]?.top_logprobs).toHaveLength(2);
    const { top_logprobs: _left_out, ...plain } = request("judge");
    const told = await openai.chat.completions.create(plain);
    expect(told.choices[0]?.logprobs?.content?.[0]?.top_logprobs).toEqual([]);
    const silent = await openai.chat.completions.create({ ...plain, logprobs: false });
    expect(silent.choices[0]?.logprobs).toBeNull();
    for (const wrong of [{ top_logprobs: 21 }, { top_logprobs: -1 }, { logprobs: false }]) {
      const refused = openai.chat.completions.create({ ...request("judge"), ...wrong });
      expect(await refused.catch((error: unknown) => error)).toMatchObject({ status: 400, param: "top_logprobs" });
    }
  });

  test("repeats a text without a question", async () => {
    const messages = [{ role: "user" as const, content: "Good morning" }];
    const { choices } = await openai.chat.completions.create({ model: "judge", messages });
    expect(choices[0]?.message.content).toBe("Simulated answer: Good morning");
  });
});

describe("judges that err in a known way", () => {
  const logits = optionLogits(STATE, OPTIONS);

  test("judge-bias-2 adds 2 nats to the option listed first, whichever it is", async () => {
    const forwards = softmax(logits.map((logit, index) => logit + (index === 0 ? 2 : 0)));
    expectClose(normalised(await labelMasses("judge-bias-2")), forwards);
    const reversed = OPTIONS.toReversed();
    const backwards = softmax(optionLogits(STATE, reversed).map((logit, index) => logit + (index === 0 ? 2 : 0)));
    expectClose(normalised(await labelMasses("judge-bias-2", reversed)), backwards);
    expectClose(normalised(await labelMasses("judge@bias=2")), forwards);
  });

  test("judge-overconfident shows logits four times as large", async () => {
    expectClose(normalised(await labelMasses("judge-overconfident")), softmax(logits.map((logit) => 4 * logit)));
  });

  test("judge-off-label gives its labels 0.01 together", async () => {
    expectClose([(await labelMasses("judge-off-label")).reduce((sum, mass) => sum + mass, 0)], [0.01]);
  });

  test("judge-top-5 shows five", async () => {
    expect((await top("judge-top-5")).top_logprobs).toHaveLength(5);
  });

  test("judge-no-logprobs answers without log-probabilities, streamed or not", async () => {
    const { choices } = await openai.chat.completions.create(request("judge-no-logprobs"));
    expect(choices[0]).toMatchObject({ message: { content: "B" }, logprobs: null });
    const streamed = await openai.chat.completions.stream(request("judge-no-logprobs")).finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject({ message: { content: "B" }, logprobs: null });
  });

  test("judge-refusing refuses in the refusal field", async () => {
    const { max_tokens: _left_out, ...uncapped } = request("judge-refusing");
    const { choices } = await openai.chat.completions.create(uncapped);
    expect(choices[0]?.message.content).toBeNull();
    expect(choices[0]?.message.refusal).toBe("Simulated refusal: I cannot help with that.");
  });
});

describe("judge-constrained", () => {
  const options = Array.from({ length: 26 }, (_, index) => `option${index}`);
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

  test.each([
    ["vLLM", { structured_outputs: { choice: letters }, top_logprobs: 26 }],
    ["vLLM of before", { guided_choice: letters, top_logprobs: 26 }],
    ["llama.cpp", { grammar: `root ::= ${letters.map((letter) => `"${letter}"`).join(" | ")}`, n_probs: 26 }],
  ])("puts all mass on the choices and shows more than 20, in %s's shape", async (_name, fields) => {
    const { choices } = await openai.chat.completions.create({ ...request("judge-constrained", options), ...fields });
    const shown = choices[0]?.logprobs?.content?.[0]?.top_logprobs ?? [];
    expect(shown.map(({ token }) => token).toSorted()).toEqual(letters);
    expectClose([shown.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)], [1]);
  });
});
