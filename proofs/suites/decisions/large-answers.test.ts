import { afterAll, beforeAll, expect, test } from "bun:test";
import { MAX_SMALL_ANSWER_BYTES } from "../../../src/wire/client/reply.ts";
import { endedReceipt } from "../../support/receipts.ts";
import {
  DECISION_PRICE,
  type DecisionGateway,
  judged,
  served,
  startDecisionGateway,
} from "./support/decision-gateway.ts";
import { SHAPES } from "./support/questions.ts";

/** What a vendor answers to a decision is read on the serving thread, so it is bounded there. */

let padding = "";
let decisions: DecisionGateway;
/** Answers every call with an empty object and so much white space. */
const vendor = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(`{}${padding}`) });

beforeAll(async () => {
  const base_url = `http://127.0.0.1:${vendor.port}/v1`;
  decisions = await startDecisionGateway({
    odd: { base_url, models: ["judge"] },
    vendor: { base_url },
    models: {
      "odd/engine": { ...judged("judge"), decide_with: { engine: "logprobs", model: "odd/judge" } },
      "decisions/large": { ...served("large"), price: DECISION_PRICE },
    },
  });
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
  await vendor.stop(true);
});

const WAYS = ["odd/engine", "decisions/large"].flatMap((model) =>
  Object.values(SHAPES).map(({ path, body }) => ({ name: `${path} by ${model}`, path, body: body(model) })),
);

test.each(WAYS)(
  "$name: an answer above the bound is a vendor's failure, and nothing is charged or held",
  async ({ path, body }) => {
    padding = " ".repeat(MAX_SMALL_ANSWER_BYTES);
    const { status, text, headers } = await decisions.caller.post(path, body);
    expect([status, text]).toEqual([502, expect.stringContaining("too large an answer")]);
    const receipt = await endedReceipt(decisions.gateway, decisions.key.key, headers.get("x-request-id") ?? "");
    expect(receipt).toMatchObject({ status: "voided", charge_micro: 0 });
  },
);

test.each(WAYS)("$name: an answer below it is read", async ({ path, body }) => {
  padding = " ".repeat(MAX_SMALL_ANSWER_BYTES - 2);
  const { status, text } = await decisions.caller.post(path, body);
  expect([status, text.includes("too large")]).toEqual([502, false]);
});
