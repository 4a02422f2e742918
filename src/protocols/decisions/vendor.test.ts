import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { targetFor } from "../../../proofs/support/target.ts";
import type { DecisionPart, DecisionRequest } from "../../core/answer/decision.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { decisionsClient } from "./client.ts";
import { decisionsVendor } from "./vendor.ts";

const HEADERS = { get: () => null };
const fixture = (name: string) => readFileSync(new URL(`../../../proofs/fixtures/decisions/${name}`, import.meta.url));
const REQUEST = decisionsClient.readRequest(fixture("openai-request.json").toString()).decision;

function encoded(request: DecisionRequest, forwards_safety_identifier = true) {
  const target = targetFor("decisions", { upstream_model: "gpt-6-luna", forwards_safety_identifier });
  const { body, ...rest } = decisionsVendor.encodeRequest(request, target, HEADERS);
  return { ...rest, body: JSON.parse(body) as unknown };
}

const asking = (...questions: DecisionRequest["questions"]): DecisionRequest => ({ ...REQUEST, questions });

describe("a request", () => {
  test("is equal to the official client's, with the vendor's name of the model", () => {
    const sent = JSON.parse(fixture("openai-request.json").toString()) as { input: { type?: string }[] };
    for (const message of sent.input) delete message.type;
    expect(encoded(REQUEST)).toEqual({ path: "/decisions", headers: {}, ignored: [], body: sent });
  });

  test("names the end user only to vendors whose row allows it, and reports when it does not", () => {
    const { body, ignored } = encoded(REQUEST, false);
    expect(body).not.toHaveProperty("safety_identifier");
    expect(ignored).toEqual(["safety_identifier"]);
    expect(encoded({ ...REQUEST, safety_identifier: null }, false).ignored).toEqual([]);
    expect(encoded({ ...REQUEST, safety_identifier: null }).body).not.toHaveProperty("safety_identifier");
  });

  test("has the meaning of a predicate's answers in its instructions", () => {
    const predicate = { type: "predicate", name: "urgent", instructions: "Is it urgent?" } as const;
    const { body } = encoded(
      asking(
        { ...predicate, when_true: "Within the hour", when_false: "It can wait" },
        { ...predicate, when_true: null, when_false: "It can wait" },
      ),
    );
    expect(body).toMatchObject({
      questions: [
        { instructions: "Is it urgent?\nTrue means: Within the hour\nFalse means: It can wait" },
        { instructions: "Is it urgent?\nFalse means: It can wait" },
      ],
    });
  });

  test("has a label for every level, which the public API requires", () => {
    const levels = [
      { label: null, description: "calm" },
      { label: "angry", description: "Writes in capitals" },
      { label: null, description: null },
    ];
    const { body } = encoded(asking({ type: "score", name: null, instructions: "How?", levels }));
    expect(body).toMatchObject({
      questions: [
        {
          type: "score",
          instructions: "How?",
          levels: [{ label: "calm" }, { label: "angry", description: "Writes in capitals" }, { label: "2" }],
        },
      ],
    });
  });

  const json = (text: string): DecisionPart => ({ type: "json", text });
  test.each([
    ["one text", [[{ type: "text", text: "Hello" }]], "Hello"],
    ["data", [[json('{"a":1}')]], [{ role: "user", content: [{ type: "input_json", data: { a: 1 } }] }]],
    ["a list of objects", [[json("[{},{}]")]], [{ role: "user", content: [{ type: "input_json", data: [{}, {}] }] }]],
    ["another list, which no JSON part may be", [[json('["a", 1]')]], '["a", 1]'],
    ["more data than a JSON part may be", [[json(`{"a":"${"x".repeat(262_144)}"}`)]], `{"a":"${"x".repeat(262_144)}"}`],
    [
      "two messages",
      [[{ type: "text", text: "a" }], [{ type: "text", text: "b" }]],
      [
        { role: "user", content: "a" },
        { role: "user", content: "b" },
      ],
    ],
  ] as const)("has an input of %s", (_what, input, expected) => {
    expect(encoded({ ...REQUEST, input: input as DecisionRequest["input"] }).body).toMatchObject({ input: expected });
  });
});

const LOW_SCORE = { type: "score", score: 1.125, confidence: 0.8, probabilities: [0.125, 0.625, 0.25] } as const;

describe("an answer", () => {
  test("is read with the vendor's own numbers", () => {
    expect(decisionsVendor.decodeAnswer(fixture("openai-answer.json"), REQUEST)).toEqual({
      answers: [
        { type: "predicate", probability: 0.9375 },
        { type: "choice", choice: 0, confidence: 0.9, probabilities: [0.9375, 0.03125, 0.03125] },
        LOW_SCORE,
      ],
      usage: { ...NO_USAGE, input_tokens: 187 },
      rejected_usage: null,
    });
  });

  test("may refuse single questions, and may choose a boolean", () => {
    expect(decisionsVendor.decodeAnswer(fixture("openai-refusal.json"), REQUEST)).toEqual({
      answers: [
        { type: "refusal", reason: null },
        { type: "choice", choice: 2, confidence: 0.25, probabilities: [0.25, 0.25, 0.5] },
        { type: "refusal", reason: "The input cannot be rated." },
      ],
      usage: { ...NO_USAGE, input_tokens: 187 },
      rejected_usage: null,
    });
  });

  test("is ordered like the request, normalised to a sum of 1, and completed where it lacks derived values", () => {
    const { answers, usage } = decisionsVendor.decodeAnswer(fixture("rounded.json"), REQUEST);
    const [, choice, score] = answers;
    if (choice?.type !== "choice" || score?.type !== "score") throw new Error("answers of other types");
    expect(choice.probabilities[0]).toBeCloseTo(0.95 / 0.99, 12);
    expect(choice.probabilities.reduce((sum, one) => sum + one)).toBeCloseTo(1, 12);
    expect(score.probabilities.map((one) => Math.round(one * 1000))).toEqual([127, 618, 255]);
    // (0 · 0.13 + 0.63 + 2 · 0.26) / 1.02, where the vendor says 1.12 beside probabilities whose sum is 1.02.
    expect(score.score).toBeCloseTo(1.15 / 1.02, 12);
    // 1 − (0.13 + 0.26) / 1.02 ÷ 2/3
    expect(score.confidence).toBeCloseTo(1 - (0.39 / 1.02) * 1.5, 12);
    expect(usage).toBeNull();
  });

  test("that names another question is out of order", () => {
    const text = fixture("openai-answer.json").toString().replace('"refund"', '"team"');
    expect(() => decisionsVendor.decodeAnswer(Buffer.from(text), REQUEST)).toThrow(
      `The model service's answer cannot be used: 'answers[0].name' is the string "team"; expected: "refund".`,
    );
  });

  test.each([
    ["a text", '"0.9"'],
    ["a number above 1", "17"],
    ["nothing", "null"],
  ])("whose confidence is %s gets a computed confidence", (_what, confidence) => {
    const text = fixture("openai-answer.json").toString().replace('"confidence": 0.9,', `"confidence": ${confidence},`);
    const [, choice] = decisionsVendor.decodeAnswer(Buffer.from(text), REQUEST).answers;
    expect(choice).toMatchObject({ type: "choice", confidence: (3 * 0.9375 - 1) / 2 });
  });

  test.each([["0"], ["-5"], ["1.5"], ["1e18"], ["null"]])("with a count of %s tokens has no count", (count) => {
    const text = fixture("openai-answer.json").toString().replace('"input_tokens": 187', `"input_tokens": ${count}`);
    const { usage, rejected_usage } = decisionsVendor.decodeAnswer(Buffer.from(text), REQUEST);
    expect([usage, rejected_usage]).toEqual([null, expect.objectContaining({ input_tokens: JSON.parse(count) })]);
  });
});

test("an error is read like any vendor's", () => {
  expect(decisionsVendor.readError(400, fixture("error-model.json").toString())).toEqual({
    status: 400,
    message: "The model `gpt-6-sol` does not support decisions.",
    retry_after_ms: null,
    param: "model",
  });
});
