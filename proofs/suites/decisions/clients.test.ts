import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { optionProbabilities, yesProbability } from "../../../simulator/judge/score.ts";
import { type DecisionGateway, MODEL_OF, startDecisionGateway, WAYS } from "./support/decision-gateway.ts";
import { CRITERIA, KEYED, LEVELS, QUESTIONS, STATE } from "./support/questions.ts";

/** Public clients decide unmodified: both shapes reach vendors of both decision protocols, and our engine. */

let decisions: DecisionGateway;
let openai: OpenAI;

beforeAll(async () => {
  decisions = await startDecisionGateway();
  openai = new OpenAI({ baseURL: `${decisions.gateway.url}/v1`, apiKey: decisions.key.key, maxRetries: 0 });
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
});

/** The answers that the simulated models give to each question, in every way. */
const TRUE = {
  refund: yesProbability(STATE, QUESTIONS[0].instructions),
  team: optionProbabilities(STATE, ["billing: charged order refunded", "delivery: parcel late lost", "other"]),
  anger: optionProbabilities(STATE, LEVELS),
};

const ask = (model: string): OpenAI.DecisionCreateParams => ({
  model,
  input: STATE,
  questions: structuredClone(QUESTIONS) as unknown as OpenAI.DecisionCreateParams["questions"],
});

describe.each(WAYS.map((way) => ({ way, model: MODEL_OF[way] })))("the openai SDK, answered by $way", ({ model }) => {
  test("gets typed answers in the order of the questions", async () => {
    const { data, request_id } = await openai.decisions.create(ask(model)).withResponse();
    expect(request_id).toMatch(/^req_/);
    expect(data.model).toBe(model);
    expect(data.answers.map(({ type, name }) => [type, name])).toEqual([
      ["predicate", "refund"],
      ["choice", "team"],
      ["score", "anger"],
    ]);
    const [refund, team, anger] = data.answers;
    if (refund?.type !== "predicate" || team?.type !== "choice" || anger?.type !== "score") throw new Error("types");
    expect(refund.probability).toBeCloseTo(TRUE.refund, 6);
    expect(team.choice).toBe("billing");
    expect(team.probabilities.map(({ value }) => value)).toEqual(Object.keys(CRITERIA));
    expect(anger.probabilities.map(({ value, label }) => [value, label])).toEqual(
      LEVELS.map((label, at) => [at, label]),
    );
    for (const { probabilities } of [team, anger])
      expect(probabilities.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
    expect(anger.score).toBeCloseTo(
      anger.probabilities.reduce((sum, { value, probability }) => sum + value * probability, 0),
      6,
    );
    expect(data.usage).toMatchObject({ output_tokens: 0, total_tokens: data.usage.input_tokens });
    expect(data.usage.input_tokens).toBeGreaterThan(20);
  });

  test("may leave names out, and gets null for them", async () => {
    const questions: OpenAI.DecisionCreateParams["questions"] = [
      { type: "predicate", instructions: "The customer was charged twice." },
    ];
    const { answers } = await openai.decisions.create({ model, input: STATE, questions });
    expect(answers).toMatchObject([{ type: "predicate", name: null }]);
  });

  test("gets typed choices back: a boolean stays a boolean, distinct from its text", async () => {
    const choices = [{ value: true }, { value: "true" }, { value: false }];
    const questions = [
      { type: "choice", instructions: "Which?", choices },
    ] as unknown as OpenAI.DecisionCreateParams["questions"];
    const { answers } = await openai.decisions.create({ model, input: STATE, questions });
    const [answer] = answers;
    if (answer?.type !== "choice") throw new Error("no choice");
    expect(answer.probabilities.map(({ value }) => value)).toEqual([true, "true", false]);
  });

  test("may send messages with text, JSON and images", async () => {
    const parts = [
      { type: "input_text", text: STATE },
      { type: "input_json", data: { order: 4411 } },
    ];
    const input = [
      { type: "message", role: "user", content: parts },
      { role: "user", content: "And my parcel is late." },
    ];
    const body = { ...ask(model), input } as unknown as OpenAI.DecisionCreateParams;
    const { answers } = await openai.decisions.create(body);
    expect(answers).toHaveLength(3);
  });
});

describe.each(WAYS.map((way) => ({ way, model: MODEL_OF[way] })))(
  "a System One client, answered by $way",
  ({ model }) => {
    /** Questions named by numbers keep their order of the text, though JavaScript would sort them. */
    const TEXT = `{
    "state": {"10": "ten", "2": "two", "message": ${JSON.stringify(STATE)}},
    "questions": {
      "9": {"type": "noul", "instructions": "The customer was charged twice.", "criteria": {"true": "charged twice"}},
      "urgency": {"type": "choice", "instructions": "How urgent is this?", "criteria": {"7": "can wait", "low": null, "3": "today"}},
      "1": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "angry"]}
    },
    "model": ${JSON.stringify(model)}
  }`;

    test("gets answers under its names, in the order of its text", async () => {
      const { status, text, json } = await decisions.caller.post("/v1/systemone", TEXT);
      expect(status).toBe(200);
      const places = ['"9":', '"urgency":', '"1":{"type"'].map((key) => text.indexOf(key));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      const options = ['"7":', '"low":', '"3":'].map((key) => text.indexOf(key, places[1]));
      expect(options).toEqual(options.toSorted((a, b) => a - b));
      expect(json).toMatchObject({
        model,
        answers: {
          "9": { type: "noul" },
          urgency: { type: "choice", choice: expect.stringMatching(/^(7|low|3)$/) },
          "1": { type: "score", legend: { "0": "calm", "1": "annoyed", "2": "angry" } },
        },
        usage: { output_tokens: 0 },
      });
      expect(Object.keys(json.usage as object)).toEqual(["input_tokens", "output_tokens", "cost"]);
    });

    test("gets the same numbers as a client of the other shape", async () => {
      const keyed = await decisions.caller.post("/v1/systemone", { model, state: STATE, questions: KEYED });
      const listed = await decisions.caller.post("/v1/decisions", { model, input: STATE, questions: QUESTIONS });
      const by_name = keyed.json.answers as Record<string, Record<string, unknown>>;
      const [refund, team, anger] = listed.json.answers as Record<string, unknown>[];
      expect(by_name.refund?.noul).toBeCloseTo(refund?.probability as number, 9);
      expect(by_name.team?.choice).toBe(team?.choice as string);
      expect(by_name.team?.confidence).toBeCloseTo(team?.confidence as number, 9);
      expect(by_name.anger?.score).toBeCloseTo(anger?.score as number, 9);
    });

    test("may send a state of parts, and images after it", async () => {
      const state = [
        { type: "text", text: STATE },
        { type: "text", text: "Please." },
      ];
      const body = { model, state, questions: { refund: KEYED.refund } };
      const { status, json } = await decisions.caller.post("/v1/systemone", body);
      expect([status, Object.keys(json.answers as object)]).toEqual([200, ["refund"]]);
    });
  },
);

describe("the request to a vendor", () => {
  const asked = () => decisions.simulator.log.last;

  test("has the safety identifier only where the vendor may get it", async () => {
    const body = { ...ask("decisions/decider"), safety_identifier: "user-1" };
    const told = await decisions.caller.post("/v1/decisions", body);
    expect([told.status, told.headers.get("x-camino-ignored")]).toEqual([200, null]);
    expect(asked()?.body).toMatchObject({ safety_identifier: "user-1" });
    for (const model of ["systemone/decider", "chat/engine"]) {
      const untold = await decisions.caller.post("/v1/decisions", { ...body, model });
      expect([untold.status, untold.headers.get("x-camino-ignored")]).toEqual([200, "safety_identifier"]);
      expect(asked()?.text).not.toContain("user-1");
    }
  });

  test("has no question's name for a chat model, and each question without the others", async () => {
    const sent: string[] = [];
    decisions.simulator.log.onRequest = ({ text }) => void sent.push(text);
    const questions = QUESTIONS.map((question) => ({ ...question, name: `secret-${question.name}` }));
    await decisions.caller.post("/v1/decisions", { model: "chat/engine", input: STATE, questions });
    decisions.simulator.log.onRequest = null;
    expect(sent.length).toBeGreaterThanOrEqual(2 + 3 + 2);
    for (const text of sent) {
      expect(text).not.toContain("secret-");
      expect(QUESTIONS.filter(({ instructions }) => text.includes(instructions))).toHaveLength(1);
      expect(JSON.parse(text)).toMatchObject({ max_completion_tokens: 1, logprobs: true, temperature: 1 });
    }
  });
});
