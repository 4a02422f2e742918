import { expect, test } from "bun:test";
import { type Answer, brokenAnswer } from "./answer.ts";
import { checkReceipt, checkVoided } from "./check-receipt.ts";
import { checkAnswer, type Expectation } from "./expectation.ts";

/** A matrix that cannot fail proves nothing, so each expectation is tested with an answer that violates it. */

const USAGE = { input_tokens: 5, cache_read_tokens: 2, cache_write_tokens: 1, output_tokens: 9, reasoning_tokens: 0 };
const CALL = { id: "c1", name: "weather", input: "{}", custom: false };
const ANSWER: Answer = {
  ...brokenAnswer("acme/swift"),
  text: '{"name":"Rome"}',
  end: "stop",
  calls: [CALL],
  usage: USAGE,
};

const RIGHT: Expectation = { text: "Rome", end: ["stop", "length"], calls: ["weather"], json: ["name"], cached: true };

test("an answer that meets the expectation passes", () => {
  checkAnswer(ANSWER, { ...RIGHT, input_at_least: 8, output_at_most: 9, reasoning: "hidden", seals: "none" });
});

const wrong: readonly (readonly [Expectation, Partial<Answer>, string])[] = [
  [{ end: "stop" }, { end: "length" }, "it ended with length"],
  [{ text: "Rome" }, { text: "Paris" }, 'expected "Rome" in it'],
  [{ text_is: "Rome" }, { text: "Rome!" }, 'expected "Rome"'],
  [{ without: "END" }, { text: "x END" }, 'holds "END"'],
  [{ calls: ["weather"] }, { calls: [] }, "it calls []"],
  [{ calls: ["weather", "weather"] }, { calls: [CALL, CALL] }, "same id"],
  [{ reasoning: "shown" }, {}, "no reasoning is shown"],
  [{ reasoning: "hidden" }, { reasoning: "hm" }, "reasoning is shown"],
  [{ seals: "some" }, {}, "no reasoning is signed"],
  [{ seals: "none" }, { seals: 1 }, "1 values are signed"],
  [{ input_at_least: 9 }, {}, "the input counts 8 tokens"],
  [{ output_at_most: 8 }, {}, "the output counts 9 tokens"],
  [{ cached: true }, { usage: { ...USAGE, cache_read_tokens: 0 } }, "read from a cache"],
  [{ logprobs: "some" }, {}, "no log-probabilities"],
  [{ logprobs: "none" }, { logprobs: 1 }, "nobody asked for"],
  [{ choices: 2 }, {}, "1 choices"],
  [{ json: [] }, { text: "{" }, "no JSON"],
  [{ json: [] }, { text: "[]" }, "no JSON object"],
  [{ json: ["country"] }, {}, "no string 'country'"],
  [{ stop_sequence: "END" }, {}, "'stop_sequence' is null"],
];

test.each(wrong)("%j finds %j", (expected, different, says) => {
  expect(() => checkAnswer({ ...ANSWER, ...different }, expected)).toThrow(says);
});

const RECEIPT = { object: "request", status: "settled", model: "acme/swift", estimated: false, usage: USAGE };

test.each([
  [{ status: "voided" }, "'status'"],
  [{ model: "acme/other" }, "'model'"],
  [{ estimated: true }, "'estimated'"],
  [{ usage: { ...USAGE, output_tokens: 10 } }, "the receipt counts 10 output_tokens, the answer 9"],
  [{ usage: { ...USAGE, reasoning_tokens: 1 } }, "the receipt counts 1 reasoning_tokens, the answer 0"],
])("a receipt that differs by %j is reported", (different, says) => {
  checkReceipt(RECEIPT, ANSWER, {});
  expect(() => checkReceipt({ ...RECEIPT, ...different }, ANSWER, {})).toThrow(says);
});

test.each([true, false])(
  "a receipt's count may be estimated or not where the gateway ends the answer: %j",
  (estimated) => {
    checkReceipt({ ...RECEIPT, estimated }, ANSWER, { estimated: null });
  },
);

test("a failure that was charged is reported", () => {
  checkVoided({ status: "voided", charge_micro: 0 });
  expect(() => checkVoided({ status: "voided", charge_micro: 1 })).toThrow("'charge_micro' is 1");
  expect(() => checkVoided({ status: "settled", charge_micro: 0 })).toThrow("'status'");
});
