import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { choice, noul, score, TypeSafeClient, TypeSafeError } from "@typesafe-ai/sdk";
import { type DecisionGateway, MODEL_OF, startDecisionGateway, WAYS } from "./support/decision-gateway.ts";
import { CRITERIA, LEVELS, STATE } from "./support/questions.ts";

/** System One's official client decides unmodified, whoever decides. */

let decisions: DecisionGateway;
let client: TypeSafeClient;

beforeAll(async () => {
  decisions = await startDecisionGateway();
  client = new TypeSafeClient({ baseURL: decisions.gateway.url, apiKey: decisions.key.key });
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
});

// The client's type wants a rubric of two levels or more.
const [lowest = "", next = "", ...higher] = LEVELS;

describe.each(WAYS.map((way) => ({ way, model: MODEL_OF[way] })))("answered by $way, the client", ({ model }) => {
  test("gets typed answers under its names", async () => {
    const { answers, usage } = await client.systemOne({
      model,
      state: { document: STATE },
      questions: {
        refund: noul("The customer was charged twice."),
        team: choice("Which team should answer?", CRITERIA),
        anger: score("How angry is the customer?", [lowest, next, ...higher]),
      },
    });
    expect(answers.refund.noul).toBeGreaterThan(0.5);
    expect(answers.team.choice).toBe("billing");
    expect(Object.keys(answers.team.probabilities)).toEqual(Object.keys(CRITERIA));
    expect(Object.values(answers.anger.legend)).toEqual(LEVELS);
    expect(answers.anger.score).toBeGreaterThanOrEqual(0);
    expect(usage.input_tokens).toBeGreaterThan(10);
  });
});

test("gets an error of its own class for a refused request", async () => {
  const call = client.systemOne({ model: "chat/judge", state: STATE, questions: { q: noul("Is it?") } });
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TypeSafeError);
});
