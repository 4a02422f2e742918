import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { DISTORTIONS } from "../../../simulator/decisions/distortions.ts";
import { optionProbabilities, yesProbability } from "../../../simulator/judge/score.ts";
import { isObject } from "../../../simulator/protocols/read.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { countTokens } from "../../../simulator/tokens.ts";

const STATE = "The customer wants a refund for the broken lamp.";
const STATEMENT = "The customer wants money";
const CHOICES = [{ value: "refund", description: "money back" }, { value: "praise" }, { value: true }];
const LEVELS = [{ label: "calm" }, { label: "annoyed", description: "something is broken" }];
const CHOICE_TEXTS = ["refund money back", "praise", "true"];
const LEVEL_TEXTS = ["calm", "annoyed something is broken"];

const DECISION: OpenAI.DecisionCreateParams = {
  model: "decider",
  input: STATE,
  questions: [
    { type: "predicate", name: "wants", instructions: STATEMENT },
    { type: "choice", instructions: "What is it?", choices: CHOICES },
    { type: "score", name: "mood", instructions: "How is the mood?", levels: LEVELS },
  ],
};

const SYSTEM_ONE = {
  model: "decider",
  state: STATE,
  questions: {
    wants: { type: "noul", instructions: STATEMENT },
    what: { type: "choice", instructions: "What is it?", criteria: { refund: "money back", praise: null, true: null } },
    mood: { type: "score", instructions: "How is the mood?", criteria: LEVEL_TEXTS },
  },
};

let simulator: Simulator;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  openai = new OpenAI({ apiKey: "test", baseURL: simulator.base_url, maxRetries: 0 });
});
afterAll(() => simulator.stop());

function post(endpoint: "decisions" | "systemone", body: object): Promise<Response> {
  return fetch(`${simulator.base_url}/${endpoint}`, { method: "POST", body: JSON.stringify(body) });
}

describe("the official OpenAI client on decisions", () => {
  test("gets the scorer's true distribution in the public shape, and says it is simulated", async () => {
    const { data, response } = await openai.decisions.create(DECISION).withResponse();
    expect(response.headers.get("x-camino-simulated")).toBe("true");
    const [wants, what, mood] = data.answers;
    expect(wants).toEqual({ type: "predicate", name: "wants", probability: yesProbability(STATE, STATEMENT) });
    const choice = optionProbabilities(STATE, CHOICE_TEXTS);
    expect(what).toMatchObject({ type: "choice", name: null, choice: "refund" });
    expect(what).toHaveProperty("confidence", (3 * Math.max(...choice) - 1) / 2);
    expect(what).toHaveProperty(
      "probabilities",
      CHOICES.map(({ value }, index) => ({ value, probability: choice[index] })),
    );
    const [calm = 0, annoyed = 0] = optionProbabilities(STATE, LEVEL_TEXTS);
    expect(mood).toMatchObject({ type: "score", name: "mood", score: annoyed });
    expect(mood).toHaveProperty("probabilities", [
      { value: 0, label: "calm", probability: calm },
      { value: 1, label: "annoyed", probability: annoyed },
    ]);
  });

  test("counts the state once and each question's texts as input, and no output", async () => {
    const texts = [STATE, STATEMENT, "What is it?", "refundmoney backpraisetrue", "How is the mood?"];
    const input_tokens = countTokens(`${texts.join("")}calmannoyedsomething is broken`);
    const { usage } = await openai.decisions.create(DECISION);
    expect(usage).toEqual({
      input_tokens,
      input_tokens_details: { cache_write_tokens: 0, cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens,
    });
  });

  test("may send messages with text, JSON and images", async () => {
    const { answers } = await openai.decisions.create({
      ...DECISION,
      input: [
        { role: "user", content: [{ type: "input_text", text: "The customer wants a refund" }] },
        { role: "user", content: [{ type: "input_json", data: { about: "the broken lamp" } }] },
        { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] },
      ],
    });
    expect(answers).toHaveLength(3);
  });

  const one = DECISION.questions[0];
  test.each([
    ["an unknown field", { ...DECISION, stream: true }, "stream"],
    ["no questions", { ...DECISION, questions: [] }, "questions"],
    ["a name twice", { ...DECISION, questions: [one, one] }, "questions"],
    ["empty input", { ...DECISION, input: "" }, "input"],
    ["an unknown type", { ...DECISION, questions: [{ type: "box", instructions: "x" }] }, "questions[0].type"],
    ["a field of another type", { ...DECISION, questions: [{ ...one, choices: [] }] }, "questions[0].choices"],
    ["one choice", { ...DECISION, questions: [choice([{ value: "a" }])] }, "questions[0].choices"],
    ["a choice twice", { ...DECISION, questions: [choice([{ value: "a" }, { value: "a" }])] }, "questions[0].choices"],
    [
      "a number as a value",
      { ...DECISION, questions: [choice([{ value: 1 }, { value: 2 }])] },
      "questions[0].choices[0].value",
    ],
    [
      "a level without a label",
      { ...DECISION, questions: [score([{ description: "low" }, {}])] },
      "questions[0].levels[0].label",
    ],
    ["a chat model", { ...DECISION, model: "echo" }, "model"],
  ])("is refused %s", async (_name, body, param) => {
    const answer = await post("decisions", body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
  });
});

/** The probabilities of the second question's options, in either shape. */
function choiceProbabilities(body: unknown): number[] {
  const answer =
    isObject(body) && isObject(body.answers) ? body.answers.what : isObject(body) ? list(body.answers)[1] : {};
  const { probabilities } = isObject(answer) ? answer : {};
  if (isObject(probabilities)) return Object.values(probabilities).map(Number);
  return list(probabilities).map((entry) => Number(isObject(entry) ? entry.probability : Number.NaN));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function choice(choices: readonly object[]): object {
  return { type: "choice", instructions: "Which?", choices };
}

function score(levels: readonly object[]): object {
  return { type: "score", instructions: "How much?", levels };
}

describe("System One", () => {
  test("answers by name with the same distribution, a legend, and no total", async () => {
    const answer = await post("systemone", SYSTEM_ONE);
    const [refund, praise, yes] = optionProbabilities(STATE, CHOICE_TEXTS);
    const [low, high] = optionProbabilities(STATE, LEVEL_TEXTS);
    expect(await answer.json()).toMatchObject({
      model: "decider",
      answers: {
        wants: { type: "noul", noul: yesProbability(STATE, STATEMENT) },
        what: { type: "choice", choice: "refund", probabilities: { refund, praise, true: yes } },
        mood: {
          type: "score",
          score: high,
          legend: { "0": "calm", "1": "annoyed something is broken" },
          probabilities: { "0": low, "1": high },
        },
      },
      usage: { output_tokens: 0 },
    });
  });

  test("says where something is, with edges within the image", async () => {
    const questions = { q: { type: "box", instructions: "The lamp" } };
    const answer = (await (await post("systemone", { ...SYSTEM_ONE, questions })).json()) as {
      answers: { q: Record<string, number> };
    };
    const { type, ...edges } = answer.answers.q;
    expect([type as unknown, Object.keys(edges)]).toEqual(["box", ["top", "bottom", "left", "right"]]);
    const { top = 1, bottom = 0, left = 1, right = 0 } = edges;
    expect([top >= 0, top < bottom, bottom <= 1]).toEqual([true, true, true]);
    expect([left >= 0, left < right, right <= 1]).toEqual([true, true, true]);
  });

  test("counts the meanings of yes and no", async () => {
    const criteria = { true: "a refund", false: "praise" };
    const questions = { q: { type: "noul", instructions: "Which way?", criteria } };
    const answer = await post("systemone", { ...SYSTEM_ONE, questions });
    const noul = yesProbability(STATE, "Which way?", { when_true: "a refund", when_false: "praise" });
    expect(await answer.json()).toHaveProperty("answers.q.noul", noul);
  });

  test("accepts JSON, parts and images as state, and ignores unknown fields at the top", async () => {
    const image_url = { url: "data:image/png;base64,AAAA" };
    for (const state of [
      { order: { wants: "refund" } },
      [
        { type: "text", text: STATE },
        { type: "image_url", image_url },
      ],
      [1],
    ]) {
      const answer = await post("systemone", { ...SYSTEM_ONE, state, images: [image_url.url], other: 1 });
      expect(answer.status).toBe(200);
    }
  });

  test.each([
    ["no state", { ...SYSTEM_ONE, state: undefined }, "state"],
    ["no questions", { ...SYSTEM_ONE, questions: {} }, "questions"],
    [
      "criteria of a box",
      { ...SYSTEM_ONE, questions: { q: { type: "box", instructions: "x", criteria: {} } } },
      "questions.q.criteria",
    ],
    ["an unknown type", { ...SYSTEM_ONE, questions: { q: { type: "area" } } }, "questions.q.type"],
    [
      "an unknown field",
      { ...SYSTEM_ONE, questions: { q: { type: "noul", instructions: "x", name: "y" } } },
      "questions.q.name",
    ],
    ["no criteria", { ...SYSTEM_ONE, questions: { q: { type: "choice", instructions: "x" } } }, "questions.q.criteria"],
    [
      "an empty level",
      { ...SYSTEM_ONE, questions: { q: { type: "score", criteria: ["a", ""] } } },
      "questions.q.criteria[1]",
    ],
  ])("is refused %s", async (_name, body, param) => {
    const answer = await post("systemone", body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
  });
});

describe.each([
  ["decisions", DECISION],
  ["systemone", SYSTEM_ONE],
] as const)("deciders that fail, on %s", (endpoint, request) => {
  test.each(Object.keys(DISTORTIONS))("decider-%s answers, but differently from decider", async (name) => {
    const right = await (await post(endpoint, request)).text();
    const answer = await post(endpoint, { ...request, model: `decider-${name}` });
    expect(answer.status).toBe(200);
    expect((await answer.text()).replace(`decider-${name}`, "decider")).not.toBe(right);
    const by_parameter = await post(endpoint, { ...request, model: `decider@answer=${name}` });
    expect(by_parameter.status).toBe(200);
  });

  test("sum to 0.5 or to 0.985 with every probability in its range", async () => {
    for (const [name, sum] of [
      ["bad-sum", 0.5],
      ["near-sum", 0.985],
    ] as const) {
      const found = choiceProbabilities(await (await post(endpoint, { ...request, model: `decider-${name}` })).json());
      expect(found.reduce((total, probability) => total + probability, 0)).toBeCloseTo(sum, 12);
      expect(Math.max(...found)).toBeLessThanOrEqual(1);
    }
  });

  test.each([400, 401, 429, 500, 503])("decider-%d has that status", async (status) => {
    const answer = await post(endpoint, { ...request, model: `decider-${status}` });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toHaveProperty("error.message", expect.stringContaining("Simulated failure"));
  });

  test("write invalid JSON, an empty body, a page, or an error with status 200", async () => {
    const texts = new Map<string, string>();
    for (const name of ["nan", "truncated", "empty", "html", "error-200", "infinite"]) {
      texts.set(name, await (await post(endpoint, { ...request, model: `decider-${name}` })).text());
    }
    for (const name of ["nan", "truncated", "empty", "html"]) expect(() => JSON.parse(texts.get(name) ?? "")).toThrow();
    expect(texts.get("nan")).toContain(":NaN");
    expect(texts.get("html")).toStartWith("<!doctype html>");
    expect(JSON.parse(texts.get("error-200") ?? "")).toHaveProperty("error.message");
    expect(JSON.parse(texts.get("infinite") ?? "")).toHaveProperty("answers");
    expect(texts.get("infinite")).toContain("1e999");
  });

  test("report no usage where decider-no-usage is asked", async () => {
    const answer = await post(endpoint, { ...request, model: "decider-no-usage" });
    expect(await answer.json()).not.toHaveProperty("usage");
  });
});

test.each([
  ["chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
  ["responses", { input: "Hi" }],
])("a decision model is refused on %s", async (path, asked) => {
  const body = JSON.stringify({ model: "decider", ...asked });
  const answer = await fetch(`${simulator.base_url}/${path}`, { method: "POST", body });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toHaveProperty("error.param", "model");
});
