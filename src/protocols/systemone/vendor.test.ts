import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { targetFor } from "../../../proofs/support/target.ts";
import type { DecisionPart, DecisionRequest } from "../../core/answer/decision.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { systemoneClient } from "./client.ts";
import { systemoneVendor } from "./vendor.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const HEADERS = { get: () => null };
const fixture = (name: string) => readFileSync(new URL(`../../../proofs/fixtures/systemone/${name}`, import.meta.url));
const REQUEST = systemoneClient.readRequest(fixture("request.json").toString()).decision;

function encode(request: DecisionRequest) {
  return systemoneVendor.encodeRequest(request, targetFor("systemone", { upstream_model: "jev-latest" }), HEADERS);
}

const bodyOf = (request: DecisionRequest) => JSON.parse(encode(request).body) as unknown;
const asking = (...questions: DecisionRequest["questions"]): DecisionRequest => ({ ...REQUEST, questions });
const about = (...parts: DecisionPart[]): DecisionRequest => ({ ...REQUEST, input: [parts] });
const ASKS = { type: "predicate", instructions: "?", when_true: null, when_false: null } as const;

describe("a request", () => {
  test("is what the official client sends, key by key", () => {
    const { body, ...rest } = encode(REQUEST);
    expect(rest).toEqual({ path: "/systemone", headers: {}, ignored: [] });
    expect(JSON.parse(body)).toEqual(JSON.parse(fixture("request.json").toString()));
    expect(body).toContain('"criteria":{"billing":"payments and refunds","shipping":"deliveries","2":null}');
    expect(body).toContain('"state":{"ticket":"My card was charged twice for one order.","order_id":4411}');
  });

  test("has the questions' data in place of text as the client wrote it", () => {
    const question =
      '{"criteria":{"b":{"of": 1.0},"1":null},"type":"choice","instructions":["Which?", {"id": 12345678901234567890}]}';
    const { decision } = systemoneClient.readRequest(`{"model":"m","state":"x","questions":{"c":${question}}}`);
    expect(encode(decision).body).toBe(`{"model":"jev-latest","state":"x","questions":{"c":${question}}}`);
    const answer = '{"answers":{"c":{"type":"choice","choice":"1","probabilities":{"1":0.75,"b":0.25}}}}';
    expect(systemoneVendor.decodeAnswer(Buffer.from(answer), decision).answers).toEqual([
      { type: "choice", choice: 1, confidence: 0.5, probabilities: [0.25, 0.75] },
    ]);
  });

  test("leaves the identifier of the user out and reports that", () => {
    const { body, ignored } = encode({ ...REQUEST, safety_identifier: "user-1" });
    expect(body).not.toContain("user-1");
    expect(ignored).toEqual(["safety_identifier"]);
  });

  test("gives a question without a name a key that no other question has", () => {
    const { questions } = JSON.parse(
      encode(asking({ ...ASKS, name: null }, { ...ASKS, name: "question_1" }, { ...ASKS, name: null })).body,
    ) as { questions: object };
    expect(Object.keys(questions)).toEqual(["question_1_", "question_1", "question_3"]);
  });

  test("distinguishes booleans from strings with the same spelling", () => {
    const options = [true, "true", "false", "true (boolean)"].map((value) => ({ value, description: null }));
    const { body } = encode(asking({ type: "choice", name: "c", instructions: "?", options }));
    expect(body).toContain('{"true (boolean) (boolean)":null,"true":null,"false":null,"true (boolean)":null}');
    const alone = encode(
      asking({
        type: "choice",
        name: "c",
        instructions: "?",
        options: [
          { value: true, description: "yes" },
          { value: false, description: null },
        ],
      }),
    );
    expect(alone.body).toContain('"criteria":{"true":"yes","false":null}');
  });

  test("describes levels by label and description", () => {
    const levels = [
      { label: "calm", description: null },
      { label: "angry", description: "in capitals" },
      { label: null, description: "furious" },
      { label: null, description: null },
    ];
    expect(bodyOf(asking({ type: "score", name: "s", instructions: "?", levels }))).toMatchObject({
      questions: { s: { criteria: ["calm", "angry: in capitals", "furious", "3"] } },
    });
  });

  const text = (words: string): DecisionPart => ({ type: "text", text: words });
  const image: DecisionPart = { type: "image", url: PNG };
  test.each([
    ["a text", [text("a")], { state: "a" }],
    ["data", [{ type: "json", text: "[1, 2]" }], { state: [1, 2] }],
    ["a text and images", [text("a"), image, image], { state: "a", images: [PNG, PNG] }],
    ["images alone", [image], { state: "", images: [PNG] }],
    [
      "texts",
      [text("a"), { type: "json", text: '{"b":1}' }],
      {
        state: [
          { type: "text", text: "a" },
          { type: "text", text: '{"b":1}' },
        ],
      },
    ],
    [
      "an image among texts",
      [image, text("a")],
      {
        state: [
          { type: "image_url", image_url: { url: PNG } },
          { type: "text", text: "a" },
        ],
      },
    ],
    [
      "an image with a detail",
      [text("a"), { ...image, detail: "low" }],
      {
        state: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url: PNG, detail: "low" } },
        ],
      },
    ],
  ] as const)("has a state of %s", (_what, parts, expected) => {
    const body = bodyOf(about(...(parts as readonly DecisionPart[])));
    expect(body).toEqual({ ...(body as object), ...expected });
    expect(body).toHaveProperty("images" in expected ? "images" : "state");
    if (!("images" in expected)) expect(body).not.toHaveProperty("images");
  });
});

describe("an answer", () => {
  test.each([
    [
      "typesafe-answer.json",
      142,
      [
        { type: "predicate", probability: 0.75 },
        { type: "choice", choice: 0, confidence: 0.8125, probabilities: [0.875, 0.0625, 0.0625] },
        { type: "score", score: 0.75, confidence: 0.4375, probabilities: [0.375, 0.5, 0.125] },
      ],
    ],
    [
      "vllm-answer.json",
      142,
      [
        { type: "predicate", probability: 0.02 },
        { type: "choice", choice: 0, confidence: 0.9, probabilities: [0.97, 0.01, 0.02] },
        { type: "score", score: 0.4, confidence: 0.65, probabilities: [0.7, 0.2, 0.1] },
      ],
    ],
    [
      "sglang-answer.json",
      96,
      [
        { type: "predicate", probability: 0.5 },
        { type: "choice", choice: 2, confidence: 0.0625, probabilities: [0.3125, 0.3125, 0.375] },
        { type: "score", score: 2, confidence: 1, probabilities: [0, 0, 1] },
      ],
    ],
  ] as const)("is read with the server's own numbers: %s", (name, input_tokens, answers) => {
    expect(systemoneVendor.decodeAnswer(fixture(name), REQUEST)).toEqual({
      answers,
      usage: { ...NO_USAGE, input_tokens },
      rejected_usage: null,
    });
  });

  test("may be rounded, in any order, and without a model, usage or confidence", () => {
    const { answers, usage } = systemoneVendor.decodeAnswer(fixture("rounded.json"), REQUEST);
    const [predicate, choice, score] = answers;
    if (choice?.type !== "choice" || score?.type !== "score") throw new Error("answers of other types");
    expect(predicate).toEqual({ type: "predicate", probability: 1 });
    expect(choice.choice).toBe(1);
    for (const probability of choice.probabilities) expect(probability).toBeCloseTo(1 / 3, 12);
    expect(choice.confidence).toBeCloseTo(0, 12);
    expect(score.probabilities.reduce((sum, one) => sum + one)).toBeCloseTo(1, 12);
    // The vendor's own 0.3333 stands beside probabilities whose sum is 1.0001.
    expect(score.score).toBeCloseTo(0.3335 / 1.0001, 12);
    expect(usage).toBeNull();
  });

  test("without choice and score gets the likeliest option and the expected level", () => {
    const body = fixture("typesafe-answer.json").toString();
    const without = body.replace('"choice":"billing",', "").replace('"score":0.75,', "");
    expect(systemoneVendor.decodeAnswer(Buffer.from(without), REQUEST)).toEqual(
      systemoneVendor.decodeAnswer(Buffer.from(body), REQUEST),
    );
  });

  test("may be of a choice that is not the likeliest option", () => {
    const other = fixture("typesafe-answer.json").toString().replace('"choice":"billing"', '"choice":"2"');
    expect(systemoneVendor.decodeAnswer(Buffer.from(other), REQUEST).answers[1]).toMatchObject({ choice: 2 });
  });

  test("of a refusal has its reason, if there is one", () => {
    const body = {
      answers: {
        urgent: { type: "refusal", reason: "unsafe" },
        team: { type: "refusal" },
        tone: { type: "refusal", reason: 7 },
      },
    };
    expect(systemoneVendor.decodeAnswer(Buffer.from(JSON.stringify(body)), REQUEST).answers).toEqual([
      { type: "refusal", reason: "unsafe" },
      { type: "refusal", reason: null },
      { type: "refusal", reason: null },
    ]);
  });

  test("with a missing field is rejected with an error that names the field", () => {
    const lacking = (change: (text: string) => string) => () =>
      systemoneVendor.decodeAnswer(Buffer.from(change(fixture("typesafe-answer.json").toString())), REQUEST);
    expect(lacking((text) => text.replace('"tone"', '"mood"'))).toThrow(
      "The model service's answer cannot be used: 'answers.tone' is missing; expected: an entry for each of the questions.",
    );
    expect(lacking((text) => text.replace("0.875", "0.5"))).toThrow(
      "'answers.team.probabilities' sum to 0.625; expected: 1.",
    );
    expect(lacking((text) => text.replace('"noul":0.75', '"noul":75'))).toThrow(
      "'answers.urgent.noul' is the number 75; expected: a probability, from 0 to 1.",
    );
  });
});

test("an error is read like any vendor's", () => {
  expect(systemoneVendor.readError(422, fixture("error-validation.json").toString())).toEqual({
    status: 422,
    message: "body.questions.team.choice.criteria: Field required",
    retry_after_ms: null,
  });
});
