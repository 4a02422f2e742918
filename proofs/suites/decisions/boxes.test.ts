import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endedReceipt } from "../../support/receipts.ts";
import { type DecisionGateway, MICRO_PER_TOKEN, served, startDecisionGateway } from "./support/decision-gateway.ts";

/** Boxes from a vendor of System One, through a gateway on the surface of vendors (docs/rulings.md 175). */

const SPOILED = ["out-of-range", "negative", "nan", "infinite", "null", "text", "incomplete"];

let decisions: DecisionGateway;
beforeAll(async () => {
  decisions = await startDecisionGateway({
    surface: "vendor",
    models: Object.fromEntries(
      SPOILED.map((name) => [`systemone/${name}`, served(`decider-${name}`, { input_modalities: ["text", "image"] })]),
    ),
  });
});
afterAll(() => decisions[Symbol.asyncDispose]());

const BODY = { state: "The lamp is broken.", questions: { lamp: { type: "box", instructions: "The lamp" } } };

function ask(model: string, body: object = BODY) {
  return decisions.caller.post("/v1/systemone", { ...body, model });
}

describe("a box", () => {
  test("has the edges that its vendor gave, beside answers of other types, and is billed like every decision", async () => {
    const probability = { type: "noul", instructions: "Is it broken?" };
    const body = { ...BODY, questions: { ...BODY.questions, broken: probability } };
    const direct = await fetch(`${decisions.simulator.base_url}/systemone`, {
      method: "POST",
      headers: { authorization: "Bearer sk-vendor-secret-0123456789" },
      body: JSON.stringify({ ...body, model: "decider" }),
    });
    const { answers, usage } = (await direct.json()) as { answers: { lamp: object }; usage: { input_tokens: number } };
    expect(Object.keys(answers.lamp)).toEqual(["type", "top", "bottom", "left", "right"]);
    const answer = await ask("systemone/decider", body);
    expect(answer.status).toBe(200);
    expect(answer.json.answers).toMatchObject({ lamp: answers.lamp, broken: { type: "noul" } });
    const id = answer.headers.get("x-request-id") ?? "";
    const receipt = await endedReceipt(decisions.gateway, decisions.caller.key, id);
    expect(receipt).toMatchObject({ status: "settled", charge_micro: usage.input_tokens * MICRO_PER_TOKEN });
  });

  test.each(SPOILED)("of decider-%s is no answer, and costs nothing", async (name) => {
    const answer = await ask(`systemone/${name}`);
    expect([answer.status, answer.json.error]).toMatchObject([502, { code: "upstream_invalid_response" }]);
    const id = answer.headers.get("x-request-id") ?? "";
    expect((await endedReceipt(decisions.gateway, decisions.caller.key, id)).charge_micro).toBe(0);
  });

  test.each(["decisions/decider", "chat/engine"])("is no question for %s", async (model) => {
    const answer = await ask(model);
    expect([answer.status, answer.json.error]).toMatchObject([400, { code: "invalid_question_type" }]);
  });
});
