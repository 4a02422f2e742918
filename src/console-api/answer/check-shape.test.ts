import { expect, test } from "bun:test";
import type { TSchema } from "typebox";
import { CreateAccount } from "../../../contract/accounts.ts";
import { AddCredit } from "../../../contract/credits.ts";
import { CreateKey, UpdateKey } from "../../../contract/keys.ts";
import { RequestsQuery } from "../../../contract/requests.ts";
import type { GatewayError } from "../../core/errors.ts";
import { shapeReader } from "./check-shape.ts";

const alias = { name: "fast", model: "acme/swift" };
const limit_words = "a whole number from 1 to 1000000000, or null";

const CASES: [schema: TSchema, value: unknown, param: string | null, message: string][] = [
  [CreateAccount, [], null, "The body is an array; allowed: an object."],
  [CreateAccount, {}, "email", "'email' is missing; allowed: an e-mail address."],
  [CreateAccount, { email: 1 }, "email", "'email' is the number 1; allowed: an e-mail address."],
  [CreateAccount, { email: "ann" }, "email", `'email' is the string "ann"; allowed: an e-mail address.`],
  [
    CreateAccount,
    { email: "a@b.c", credit: 25 },
    "credit",
    `'credit' is the number 25; allowed: a decimal string in units of the currency with at most six decimals, such as "25" or "0.000001".`,
  ],
  [
    CreateAccount,
    { email: "a@b.c", currency: "EUR" },
    "currency",
    "'currency' is not known here; allowed: email, name, credit.",
  ],
  [AddCredit, { amount: "1", kind: "gift" }, "kind", `'kind' is the string "gift"; allowed: "credit" or "correction".`],
  [CreateKey, { account: "a", rpm: 0 }, "rpm", `'rpm' is the number 0; allowed: ${limit_words}.`],
  [CreateKey, { account: "a", rpm: "60" }, "rpm", `'rpm' is the string "60"; allowed: ${limit_words}.`],
  [
    CreateKey,
    { account: "a", aliases: [alias, { ...alias, name: "so fast" }] },
    "aliases[1].name",
    `'aliases[1].name' is the string "so fast"; allowed: 1 to 128 characters of A-Z a-z 0-9 . _ : / -.`,
  ],
  [
    CreateKey,
    { account: "a", aliases: [{ name: "fast" }] },
    "aliases[0].model",
    "'aliases[0].model' is missing; allowed: the id of a model in the catalog.",
  ],
  [
    CreateKey,
    { account: "a", models: [] },
    "models",
    "'models' is an array; allowed: an array of 1 to 200 model id patterns, or null.",
  ],
  [
    UpdateKey,
    { budget: { amount: "1", window: "year" } },
    "budget.window",
    `'budget.window' is the string "year"; allowed: "day", "week", "month" or "once".`,
  ],
  [
    UpdateKey,
    { budget: { amount: "1" } },
    "budget.window",
    `'budget.window' is missing; allowed: "day", "week", "month" or "once".`,
  ],
  [
    UpdateKey,
    { budget: { amount: "1", window: "day", x: 1 } },
    "budget.x",
    "'budget.x' is not known here; allowed: amount, window.",
  ],
  [
    UpdateKey,
    { account: "acct_2" },
    "account",
    "'account' is not known here; allowed: name, aliases, prefix_aliases, models, rpm, tpm, concurrent, budget, model_limits, cache, project, expires_at, tags.",
  ],
  [RequestsQuery, { limit: "501" }, "limit", `'limit' is the string "501"; allowed: a whole number from 1 to 500.`],
];

for (const [schema, value, param, message] of CASES) {
  test(message, () => {
    const attempt = () => shapeReader(schema, "The body")(value);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid_request", param }) as GatewayError);
  });
}

test("a value that agrees with the schema is returned unchanged", () => {
  const body = { account: "a@b.c", aliases: [alias], budget: null, rpm: 1, expires_at: "2027-01-31T12:00:00+01:00" };
  expect(shapeReader(CreateKey, "The body")(body)).toBe(body);
});
