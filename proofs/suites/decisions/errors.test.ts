import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "../../../src/core/errors.ts";
import { type Answer, Caller, type Json } from "../../support/calls.ts";
import { documentedRows } from "../../support/documented-errors.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { type DecisionGateway, judged, served, startDecisionGateway } from "./support/decision-gateway.ts";
import { KEYED, QUESTIONS, SHAPE_NAMES, SHAPES, type ShapeName } from "./support/questions.ts";

/** docs/api.md 7.4: every code of the table in both shapes, over HTTP, none of which is charged. */

/** Kinds of a vendor's 200 that are not valid answers; the protocols' own tests have more. */
const BROKEN = ["incomplete", "no-answers", "wrong-type", "missing-option", "extra-option", "bad-sum", "out-of-range"]
  .concat(["nan", "infinite", "null", "text", "html", "empty", "truncated"])
  .map((fault) => `decider-${fault}`);
const FAILING = ["decider-500", "decider-401", "decider-cut"];

/** Each case has a model of its own, because a model that fails too often is not called again for a while. */
const models = Object.fromEntries([
  ...["decisions", "systemone"].flatMap((vendor) =>
    [...BROKEN, ...FAILING, "decider-400", "decider-429", "decider-503"].map((id) => [`${vendor}/${id}`, served(id)]),
  ),
  ["away/decider", served("decider")],
  ["decisions/text-only", served("decider", { input_modalities: ["text"] })],
  ["chat/off-label", judged("unsure")],
  ["chat/no-logprobs", judged("silent")],
  ["chat/failing-500", judged("judge-500")],
  ["chat/failing-429", judged("judge-429")],
  ["chat/failing-400", judged("judge-400")],
]);
const judges = {
  unsure: "judge-off-label",
  silent: "judge-no-logprobs",
  ...Object.fromEntries(["500", "429", "400"].map((status) => [`judge-${status}`, `judge@fault=fail-${status}`])),
};

let decisions: DecisionGateway;
let caller: Caller;
const callers: Record<string, Caller> = {};

beforeAll(async () => {
  decisions = await startDecisionGateway({ judges, models });
  const { gateway } = decisions;
  caller = decisions.caller;
  callers.poor = new Caller(gateway, (await gateway.newKey({ credit: "0" })).key);
  callers.forged = new Caller(gateway, "cm-0000000000000000000000000000000000000000000000000000000");
  callers.limited = new Caller(gateway, (await gateway.newKey({ rpm: 1 })).key);
  callers.budgeted = new Caller(gateway, (await gateway.newKey({ budget: { amount: "0.000001", window: "day" } })).key);
  callers.restricted = new Caller(gateway, (await gateway.newKey({ models: ["systemone/*"] })).key);
  const disabled = await gateway.newKey();
  await gateway.admin("POST", `/keys/${disabled.id}/disable`);
  callers.disabled = new Caller(gateway, disabled.key);
  const orphaned = await gateway.newKey();
  await gateway.admin("POST", `/accounts/${orphaned.account}/disable`);
  callers.orphaned = new Caller(gateway, orphaned.key);
  await callers.limited.post("/v1/systemone", SHAPES.systemone.body("decisions/decider", SHAPES.systemone.one));
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
});

interface Refused {
  readonly code: ErrorCode;
  readonly by?: string;
  readonly model?: string;
  /** Fields of the body, for both shapes or by shape; a string is the whole body. */
  readonly body?: Json | string | ((shape: ShapeName) => Json);
  readonly headers?: Record<string, string | null>;
}

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A body with the given question in the shape of the endpoint. */
function asked(shape: ShapeName, decisions_question: Json, systemone_question: Json): Json {
  return { questions: shape === "decisions" ? [decisions_question] : { q: systemone_question } };
}

const ROWS: readonly Refused[] = [
  { code: "invalid_json", body: "{" },
  { code: "unknown_parameter", body: { stream: true } },
  { code: "unknown_parameter", body: { temperature: 0 } },
  { code: "unknown_parameter", body: { max_tokens: 5 } },
  {
    code: "invalid_question_type",
    body: (shape) => asked(shape, { type: "noul", instructions: "?" }, { type: "predicate", instructions: "?" }),
  },
  { code: "empty_questions", body: (shape) => ({ questions: shape === "decisions" ? [] : {} }) },
  { code: "invalid_input", body: (shape) => (shape === "decisions" ? { input: 5 } : { state: 5 }) },
  {
    code: "invalid_choice_value",
    body: (shape) =>
      asked(
        shape,
        { type: "choice", instructions: "?", choices: [{ value: 1 }, { value: "b" }] },
        { type: "choice", instructions: "?", criteria: { a: null } },
      ),
  },
  {
    code: "image_input_not_supported",
    model: "decisions/text-only",
    body: (shape) =>
      shape === "decisions"
        ? { input: [{ role: "user", content: [{ type: "input_image", image_url: PIXEL }] }] }
        : { images: [PIXEL] },
  },
  { code: "model_not_supported_on_endpoint", model: "chat/judge" },
  { code: "missing_api_key", headers: { authorization: null } },
  { code: "missing_api_key", headers: { authorization: null, "x-api-key": "cm-1" } },
  { code: "invalid_api_key", by: "forged" },
  { code: "api_key_inactive", by: "disabled" },
  { code: "user_inactive", by: "orphaned" },
  { code: "insufficient_balance", by: "poor" },
  { code: "insufficient_balance", by: "budgeted" },
  { code: "model_not_found", model: "no/such" },
  { code: "model_not_found", by: "restricted" },
  { code: "rate_limit_exceeded", by: "limited" },
  { code: "provider_rate_limited", model: "decisions/decider-429" },
  { code: "provider_rate_limited", model: "chat/failing-429" },
  { code: "provider_error", model: "decisions/decider-500" },
  { code: "provider_error", model: "chat/failing-500" },
  { code: "upstream_invalid_response", model: "systemone/decider-incomplete" },
  { code: "upstream_invalid_response", model: "chat/off-label" },
  { code: "model_unavailable", model: "away/decider" },
];

const cases = SHAPE_NAMES.flatMap((shape) => ROWS.map((row) => ({ ...row, shape })));

function send({ shape, model = "decisions/decider", by, body, headers = {} }: Refused & { shape: ShapeName }) {
  const { path, one } = SHAPES[shape];
  const more = typeof body === "function" ? body(shape) : body;
  const whole = typeof more === "string" ? more : { ...SHAPES[shape].body(model, one), ...more };
  return (by === undefined ? caller : (callers[by] as Caller)).post(path, whole, headers);
}

function expectTold(answer: Answer, code: ErrorCode): void {
  const { status, type_a, retryable } = ERRORS[code];
  expect({ status: answer.status, ...answer.error }).toMatchObject({ status, type: type_a, code });
  expect(String(answer.error.message).length).toBeGreaterThan(20);
  expect(answer.headers.get("x-should-retry")).toBe(retryable ? null : "false");
  expect(answer.headers.has("retry-after")).toBe(retryable);
  expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
}

async function balance(): Promise<unknown> {
  return (await caller.get("/v1/credits")).json;
}

describe.each(cases)("$shape: $code (model $model, by $by)", (refused) => {
  test("is reported in style A and costs nothing", async () => {
    const before = await balance();
    expectTold(await send(refused), refused.code);
    expect(await balance()).toEqual(before);
  });
});

test("every code of the table is among them, or is the gateway's own fault", () => {
  const told = new Set<string>(ROWS.map(({ code }) => code));
  const also = ["duplicate_question_name", "duplicate_choice_value", "internal_error"];
  const documented = documentedRows("7.4").map(({ code }) => code);
  expect(documented.filter((code) => !told.has(code)).sort()).toEqual(also.sort());
});

describe("a duplicate", () => {
  test("of names or of values is reported on /v1/decisions", async () => {
    const names = [QUESTIONS[0], QUESTIONS[0]];
    expectTold(
      await caller.post("/v1/decisions", { model: "m", input: "i", questions: names }),
      "duplicate_question_name",
    );
    const choices = [{ value: "a" }, { value: "a" }];
    const questions = [{ type: "choice", instructions: "?", choices }];
    expectTold(await caller.post("/v1/decisions", { model: "m", input: "i", questions }), "duplicate_choice_value");
  });

  test("of a key is reported on /v1/systemone, though JSON readers lose it", async () => {
    const question = JSON.stringify(KEYED.refund);
    const named = `{"model": "m", "state": "s", "questions": {"a": ${question}, "a": ${question}}}`;
    expectTold(await caller.post("/v1/systemone", named), "duplicate_question_name");
    const choice = '{"type": "choice", "instructions": "?", "criteria": {"a": null, "a": "again"}}';
    const chosen = `{"model": "m", "state": "s", "questions": {"q": ${choice}}}`;
    expectTold(await caller.post("/v1/systemone", chosen), "duplicate_choice_value");
  });
});

describe("an invalid answer", () => {
  const broken = SHAPE_NAMES.flatMap((shape) =>
    ["decisions", "systemone"].flatMap((vendor) => BROKEN.map((id) => ({ shape, model: `${vendor}/${id}` }))),
  );
  test.each(broken)(
    "is upstream_invalid_response and not charged: $model, asked by $shape",
    async ({ shape, model }) => {
      const { path, body } = SHAPES[shape];
      const answer = await caller.post(path, body(model));
      expectTold(answer, "upstream_invalid_response");
      const receipt = await endedReceipt(decisions.gateway, caller.key, answer.headers.get("x-request-id") ?? "");
      expect(receipt).toMatchObject({ status: "voided", charge_micro: 0, error: "upstream_invalid_response" });
    },
  );

  test("is reported also where the chat model shows no log-probabilities", async () => {
    expectTold(
      await caller.post("/v1/decisions", SHAPES.decisions.body("chat/no-logprobs")),
      "upstream_invalid_response",
    );
  });
});

describe("a vendor that fails", () => {
  test.each(["decisions/decider-401", "systemone/decider-500", "systemone/decider-cut"])(
    "%s: 502, not charged",
    async (model) => {
      expectTold(await caller.post("/v1/decisions", SHAPES.decisions.body(model)), "provider_error");
    },
  );

  test("that refuses the request has its sentence passed on, without its credential", async () => {
    for (const model of ["decisions/decider-400", "chat/failing-400"]) {
      const answer = await caller.post("/v1/decisions", SHAPES.decisions.body(model));
      expectTold(answer, "invalid_input");
      expect(answer.text).not.toContain("sk-vendor-secret");
    }
  });
});

test("a decision model is refused on every generation endpoint", async () => {
  for (const name of ["chat", "responses", "messages"] as const) {
    const answer = await caller.generate(name, "chat/engine");
    expect(answer.status).toBe(400);
    expect(answer.error).toMatchObject(
      name === "messages" ? { type: "invalid_request_error" } : { code: "model_not_supported_on_endpoint" },
    );
  }
});
