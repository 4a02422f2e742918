import { afterAll, beforeAll, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Json } from "../../support/calls.ts";
import { endedReceipt } from "../../support/receipts.ts";
import {
  DECISION_PRICE,
  type DecisionGateway,
  judged,
  MICRO_PER_TOKEN,
  startDecisionGateway,
  untilCounting,
} from "./support/decision-gateway.ts";

/** What the engine may cost is bounded and, where the price says so, paid (docs/rulings.md 153). */

let decisions: DecisionGateway;

beforeAll(async () => {
  decisions = await startDecisionGateway({
    limits: { decision_calls: 100 },
    models: { "chat/per-call": { ...judged("judge"), price: { ...DECISION_PRICE, per: "call" } } },
  });
  await untilCounting(decisions);
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
});

const INPUT = "The parcel came late and broken, and nobody answers the telephone.";
const yesNo = (instructions: string): Json => ({ type: "predicate", instructions });
const choiceOf = (count: number): Json => ({
  type: "choice",
  instructions: "Which team?",
  choices: Array.from({ length: count }, (_, at) => ({ value: `team ${at}`, description: `Team number ${at}` })),
});

async function sentFor(model: string, questions: readonly Json[]) {
  let sent = 0;
  decisions.simulator.log.onRequest = () => {
    sent += 1;
  };
  const answer = await decisions.caller.post("/v1/decisions", { model, input: INPUT, questions });
  decisions.simulator.log.onRequest = null;
  return { answer, sent };
}

test("a request that needs more calls than the limit is refused before anything is held or sent", async () => {
  const questions = Array.from({ length: 200 }, () => choiceOf(26));
  const { answer, sent } = await sentFor("chat/engine", questions);
  expect([answer.status, answer.error.code, answer.error.param]).toEqual([400, "invalid_input", "questions"]);
  expect(answer.error.message).toStartWith(
    "'questions' need 5600 calls of the chat model that decides; allowed: at most 100.",
  );
  expect(answer.error.message).toContain("decide_with.debias");
  expect(answer.error.message).toContain("limits.decision_calls");
  expect(sent).toBe(0);
});

test("as many calls as the limit allows are made", async () => {
  const { answer, sent } = await sentFor(
    "chat/engine",
    Array.from({ length: 50 }, () => yesNo("Is it late?")),
  );
  expect([answer.status, sent]).toEqual([200, 100]);
  const over = await sentFor(
    "chat/engine",
    Array.from({ length: 51 }, () => yesNo("Is it late?")),
  );
  expect([over.answer.status, over.sent]).toEqual([400, 0]);
});

test("a price per call charges the input of every call, and the hold covers it", async () => {
  const { answer, sent } = await sentFor("chat/per-call", [yesNo("Is it late?"), choiceOf(5)]);
  expect([answer.status, sent]).toEqual([200, 7]);
  const described = [0, 1, 2, 3, 4].reduce((sum, at) => sum + countTokens(`Team number ${at}`), 0);
  const tokens = 7 * countTokens(INPUT) + 2 * countTokens("Is it late?") + 5 * (countTokens("Which team?") + described);
  expect(answer.json.usage).toMatchObject({ input_tokens: tokens });
  const receipt = await endedReceipt(decisions.gateway, decisions.key.key, answer.headers.get("x-request-id") ?? "");
  expect(receipt).toMatchObject({ status: "settled", charge_micro: tokens * MICRO_PER_TOKEN, estimated: false });
  expect(Number(receipt.hold_micro)).toBeGreaterThanOrEqual(tokens * MICRO_PER_TOKEN);
});
