import { readFileSync } from "node:fs";
import type { DecisionAnswer, DecisionClientRequest } from "../../../src/core/answer/decision.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { decisionProtocols, decisionVendorOf } from "../../../src/main/protocols.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import { JSON_WORDS } from "../inputs/odd-values.ts";
import { mutateText } from "./json-members.ts";
import { Broken, expectThat, type FuzzTarget } from "./target.ts";

/** The first byte of an input chooses the vendor's shape; the others are the vendor's answer. */
export const decisionAnswers: FuzzTarget = {
  name: "decision-answers",
  promise: "a vendor's decision has probabilities that sum to 1 for every option that was asked, or is refused",
  words: JSON_WORDS,
  seeds,
  run,
  mutate: (input, draw, other) =>
    Buffer.concat([input.subarray(0, 1), mutateText(input.subarray(1), draw, other.subarray(1))]),
};

const SHAPES = ["decisions", "systemone"] as const;
const ASKED = {
  model: "m",
  input: "It rains.",
  questions: [
    { type: "predicate", name: "wet", instructions: "Is it wet?" },
    {
      type: "choice",
      name: "who",
      instructions: "Who?",
      choices: [{ value: "a" }, { value: "b", description: "B" }, { value: "__proto__" }],
    },
    { type: "score", name: "7", instructions: "How much?", levels: [{ label: "low" }, { description: "high" }, {}] },
  ],
};
const request: DecisionClientRequest = decisionProtocols.decisions.readRequest(JSON.stringify(ASKED));

function seeds(): Buffer[] {
  const made = [
    {
      model: "v",
      answers: [
        { type: "predicate", name: "wet", probability: 0.9 },
        {
          type: "choice",
          name: "who",
          choice: "a",
          confidence: 0.5,
          probabilities: [
            { value: "a", probability: 0.5 },
            { value: "b", probability: 0.25 },
            { value: "__proto__", probability: 0.25 },
          ],
        },
        {
          type: "score",
          name: "7",
          score: 1,
          confidence: 0.3,
          probabilities: [0, 1, 2].map((value) => ({
            value,
            label: String(value),
            probability: value === 1 ? 0.5 : 0.25,
          })),
        },
      ],
      usage: { input_tokens: 10, output_tokens: 0, total_tokens: 10 },
    },
  ];
  const keyed =
    '{"model":"v","answers":{"wet":{"type":"noul","noul":0.9},"who":{"type":"choice","choice":"a","confidence":0.5,"probabilities":{"a":0.5,"b":0.25,"__proto__":0.25}},' +
    '"7":{"type":"score","score":1,"confidence":0.3,"legend":{"0":"low","1":"high","2":"2"},"probabilities":{"0":0.25,"1":0.5,"2":0.25}}},"usage":{"input_tokens":10,"output_tokens":0}}';
  const texts = [...made.map((body) => JSON.stringify(body)), keyed];
  const recorded = SHAPES.flatMap((shape) => fixtureFiles(".json", shape)).map((path) => readFileSync(path, "utf8"));
  return [...texts, ...recorded].flatMap((text) =>
    SHAPES.map((_, index) => Buffer.concat([Buffer.from([index]), Buffer.from(text)])),
  );
}

const isCount = (count: number) => Number.isSafeInteger(count) && count >= 0;

function run(input: Buffer): void {
  const shape = SHAPES[(input[0] ?? 0) % SHAPES.length] as (typeof SHAPES)[number];
  let decided: ReturnType<NonNullable<ReturnType<typeof decisionVendorOf>>["decodeAnswer"]> | undefined;
  try {
    decided = decisionVendorOf(shape)?.decodeAnswer(input.subarray(1), request.decision);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "upstream_invalid_response") return;
    throw thrown;
  }
  if (decided === undefined) throw new Broken(`there is no shape ${shape}`);
  const { answers, usage } = decided;
  const counts = usage === null ? [] : [usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens];
  expectThat(counts.every(isCount), `a usage of ${JSON.stringify(usage)}`);
  expectThat(answers.length === request.decision.questions.length, `${answers.length} answers`);
  for (const answer of answers) checkAnswer(answer);
  for (const protocol of Object.values(decisionProtocols)) {
    const text = protocol.encodeAnswer({ model: "acme/decider", answers, usage: usage ?? NO_USAGE }, request.decision);
    JSON.parse(text);
  }
}

/** How far from 1 a sum of fractions may be by rounding alone. */
const ROUNDING = 1e-9;

function checkAnswer(answer: DecisionAnswer): void {
  const isShare = (value: number): boolean => value >= 0 && value <= 1;
  switch (answer.type) {
    case "refusal":
    case "box":
      return;
    case "predicate":
      return expectThat(isShare(answer.probability), `a probability is ${answer.probability}`);
    case "choice":
      expectThat(answer.choice >= 0 && answer.choice < answer.probabilities.length, `the choice is ${answer.choice}`);
      break;
    case "score":
      expectThat(answer.score >= 0 && answer.score <= answer.probabilities.length - 1, `the score is ${answer.score}`);
  }
  const sum = answer.probabilities.reduce((total, each) => total + each, 0);
  expectThat(
    answer.probabilities.every(isShare) && Math.abs(sum - 1) < ROUNDING,
    `probabilities are ${answer.probabilities}`,
  );
  expectThat(isShare(answer.confidence), `the confidence is ${answer.confidence}`);
}
