import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { answersTo, codeOf, decisionsRequests, systemoneRequests } from "../../../proofs/support/decisions.ts";
import type {
  ChoiceQuestion,
  DecisionAnswer,
  DecisionRequest,
  DecisionVendorProtocol,
  Question,
} from "../../core/answer/decision.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { decisionsClient } from "../decisions/client.ts";
import { decisionsVendor } from "../decisions/vendor.ts";
import { systemoneClient } from "./client.ts";
import { systemoneVendor } from "./vendor.ts";

/** An answer as parsed JSON, which a mutation changes in place. Every value in it may become anything. */
type Loose = Record<string, unknown>;

/** Values that are no probabilities. The last becomes a number that a double cannot hold. */
const NO_PROBABILITIES = [1.001, -0.001, 2, -1, "0.5", null, true, [0.5], {}, "1e999"];

/** Fields that break the answer to a question of a type, or to any (docs/rulings.md 32). Undefined: the field is gone. */
const WRONG_FIELDS: readonly (readonly [of: Question["type"] | "any", fields: Loose])[] = [
  ["any", { type: "box" }],
  ["any", { type: undefined }],
  ["any", { type: 1 }],
  ["predicate", { type: "choice" }],
  ["choice", { type: "score" }],
  ["score", { type: "choice" }],
  ["choice", { probabilities: undefined }],
  ["score", { probabilities: undefined }],
  ["choice", { probabilities: null }],
  ["score", { probabilities: "0.5" }],
  ["choice", { choice: "another" }],
  ["choice", { choice: null }],
  ["choice", { choice: 0 }],
  ["score", { score: -0.01 }],
  ["score", { score: 2.01 }],
  ["score", { score: "1" }],
  ["score", { score: null }],
  ["score", { score: "1e999" }],
];

/** Probabilities as pairs of value or key and probability. */
type Pairs = readonly (readonly [value: unknown, probability: unknown])[];

const WRONG_PROBABILITIES: readonly (readonly [what: string, breaks: (pairs: Pairs) => Pairs])[] = [
  ["lack the first", (pairs) => pairs.slice(1)],
  ["lack the last", (pairs) => pairs.slice(0, -1)],
  ["are none", () => []],
  ["have one more", (pairs) => [...pairs, ["another", 0]]],
  ["name another", (pairs) => pairs.map(([value, probability], at) => [at === 0 ? "another" : value, probability])],
  ["sum to 0.97", (pairs) => scaled(pairs, 0.97)],
  ["sum to 1.03", (pairs) => scaled(pairs, 1.03)],
  ["sum to nothing", (pairs) => scaled(pairs, 0)],
  ...NO_PROBABILITIES.map(
    (wrong) =>
      [
        `have ${JSON.stringify(wrong)} among them`,
        (pairs: Pairs): Pairs => pairs.map(([value, probability], at) => [value, at === 0 ? wrong : probability]),
      ] as const,
  ),
];

function scaled(pairs: Pairs, factor: number): Pairs {
  return pairs.map(([value, probability]) => [value, Number(probability) * factor]);
}

const SHAPES = [
  {
    shape: "decisions",
    requests: decisionsRequests,
    vendor: decisionsVendor,
    encode: decisionsClient.encodeAnswer,
    answerAt: (body: Loose, _request: DecisionRequest, index: number) => (body.answers as Loose[])[index] as Loose,
    probability: "probability",
    pairsOf: (written: unknown): Pairs => (written as Loose[]).map(({ value, probability }) => [value, probability]),
    written: (pairs: Pairs): unknown => pairs.map(([value, probability]) => ({ value, probability })),
  },
  {
    shape: "systemone",
    requests: systemoneRequests,
    vendor: systemoneVendor,
    encode: systemoneClient.encodeAnswer,
    answerAt: (body: Loose, { questions }: DecisionRequest, index: number) =>
      Object.getOwnPropertyDescriptor(body.answers, questions[index]?.name ?? "")?.value as Loose,
    probability: "noul",
    pairsOf: (written: unknown): Pairs => Object.entries(written as Loose),
    written: (pairs: Pairs): unknown => Object.fromEntries(pairs),
  },
] as const;

/** Three questions, so that the broken one has others beside it. */
const THREE: readonly Question[] = [
  { type: "predicate", name: "p", instructions: "?", when_true: null, when_false: null },
  {
    type: "choice",
    name: "c",
    instructions: "?",
    options: [
      { value: "a", description: null },
      { value: "b", description: null },
      { value: "2", description: null },
    ],
  } satisfies ChoiceQuestion,
  {
    type: "score",
    name: "s",
    instructions: "?",
    levels: [
      { label: null, description: "low" },
      { label: null, description: "mid" },
      { label: null, description: "high" },
    ],
  },
];
const REQUEST: DecisionRequest = { model: "m", input: [], questions: THREE, safety_identifier: null };
const USAGE = { ...NO_USAGE, input_tokens: 3 };
const ANSWERS: readonly DecisionAnswer[] = [
  { type: "predicate", probability: 0.5 },
  { type: "choice", choice: 0, confidence: 0.5, probabilities: [0.5, 0.25, 0.25] },
  { type: "score", score: 1, confidence: 0.5, probabilities: [0.25, 0.5, 0.25] },
];

const bytesOf = (body: unknown) => Buffer.from(JSON.stringify(body).replaceAll('"1e999"', "1e999"));

describe.each(SHAPES.map((one) => [one.shape, one] as const))("an answer of a vendor of %s", (_shape, one) => {
  const valid = () =>
    JSON.parse(one.encode({ model: "m", answers: ANSWERS, usage: USAGE }, REQUEST)) as Loose & { answers: Loose };
  const judged = (body: unknown, vendor: DecisionVendorProtocol = one.vendor) =>
    codeOf(() => vendor.decodeAnswer(bytesOf(body), REQUEST));

  test("is accepted when it is complete", () => {
    expect(judged(valid())).toBeNull();
  });

  for (const [index, { type }] of THREE.entries()) {
    const wrong = WRONG_FIELDS.filter(([of]) => of === "any" || of === type).map(([, fields]) => [fields] as const);
    test.each(wrong)(`is rejected when the answer to a ${type} has %p`, (fields) => {
      const body = valid();
      Object.assign(one.answerAt(body, REQUEST, index), fields);
      expect(judged(body)).toBe("upstream_invalid_response");
    });
  }

  for (const index of [1, 2]) {
    test.each(WRONG_PROBABILITIES)(
      `is rejected when the probabilities of a ${THREE[index]?.type} %s`,
      (_what, breaks) => {
        const body = valid();
        const answer = one.answerAt(body, REQUEST, index);
        answer.probabilities = one.written(breaks(one.pairsOf(answer.probabilities)));
        expect(judged(body)).toBe("upstream_invalid_response");
      },
    );
  }

  test.each(NO_PROBABILITIES.map((value) => [value]))("is rejected when the probability of yes is %p", (value) => {
    const body = valid();
    one.answerAt(body, REQUEST, 0)[one.probability] = value;
    expect(judged(body)).toBe("upstream_invalid_response");
  });

  test.each([
    ["nothing", ""],
    ["a page", "<html><body>502 Bad Gateway</body></html>"],
    ["null", "null"],
    ["an array", "[]"],
    ["an object without answers", "{}"],
    ["an error", '{"error":{"message":"overloaded"}}'],
    ["answers that are null", '{"answers":null}'],
    ["answers of another shape", '{"answers":"yes"}'],
    ["half an answer", '{"answers":{"p":{"type":"noul","noul":0.'],
    ["answers twice", '{"answers":[],"answers":{}}'],
  ])("is rejected when it is %s", (_what, text) => {
    expect(codeOf(() => one.vendor.decodeAnswer(Buffer.from(text), REQUEST))).toBe("upstream_invalid_response");
  });

  test("is rejected when its bytes are not text", () => {
    expect(codeOf(() => one.vendor.decodeAnswer(Uint8Array.of(0x7b, 0xff, 0x7d), REQUEST))).toBe(
      "upstream_invalid_response",
    );
  });

  test("is rejected when it is cut anywhere, and with any key twice", () => {
    const text = JSON.stringify(valid());
    for (let length = 0; length < text.length; length++) {
      const cut = Buffer.from(text.slice(0, length));
      expect(codeOf(() => one.vendor.decodeAnswer(cut, REQUEST))).toBe("upstream_invalid_response");
    }
    for (const { 0: key, index } of text.matchAll(/"(?:answers|type|probabilities|choice|score|a)":/g)) {
      const twice = Buffer.from(`${text.slice(0, index)}${key}0,${text.slice(index)}`);
      expect(codeOf(() => one.vendor.decodeAnswer(twice, REQUEST))).toBe("upstream_invalid_response");
    }
  });

  test("is rejected when any of its answers is missing, for all requests", () => {
    fc.assert(
      fc.property(
        one.requests.chain((request) =>
          fc.tuple(fc.constant(request), answersTo(request), fc.nat(request.questions.length - 1)),
        ),
        ([request, answers, missing]) => {
          const fewer = { ...request, questions: request.questions.filter((_, index) => index !== missing) };
          const answered = answers.filter((_, index) => index !== missing);
          const text = one.encode({ model: "m", answers: answered, usage: USAGE }, fewer);
          expect(codeOf(() => one.vendor.decodeAnswer(Buffer.from(text), request))).toBe("upstream_invalid_response");
          // An answer to a question that was not asked is rejected too.
          const more = Buffer.from(one.encode({ model: "m", answers, usage: USAGE }, request));
          expect(codeOf(() => one.vendor.decodeAnswer(more, fewer))).toBe("upstream_invalid_response");
        },
      ),
      { numRuns: 200 },
    );
  });
});
