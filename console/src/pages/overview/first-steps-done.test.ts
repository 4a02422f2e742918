import { expect, test } from "bun:test";
import { type Begun, DEMO_EMAIL, stepsDone } from "./first-steps-done.ts";

const DEMO: Begun = {
  vendors: [
    { status: "enabled", enabled_by: "simulator" },
    { status: "not_configured", enabled_by: null },
  ],
  accounts: [
    { email: DEMO_EMAIL, balance_micro: 10_000_000 },
    { email: "admin@camino.local", balance_micro: 0 },
  ],
  keys: [
    { models: ["sim/*"], playground: false },
    { models: null, playground: true },
  ],
  requests: [{ model: "" }],
  user_count: 1,
  invitation_count: 0,
};

test("of what the first run makes, nothing is a step", () => {
  expect([...stepsDone(DEMO)]).toEqual([]);
});

test.each([
  ["vendor", { vendors: [{ status: "enabled", enabled_by: "environment" }] }],
  ["credit", { accounts: [{ email: "a@example.com", balance_micro: 1 }] }],
  ["key", { keys: [{ models: null, playground: false }] }],
  ["call", { requests: [{ model: "openai/gpt-6-luna" }] }],
  ["call", { requests: [{ model: "" }, { model: "sim/echo" }] }],
  ["invitation", { invitation_count: 1 }],
  ["invitation", { user_count: 2 }],
] as const)("%s is done with %j", (step, more) => {
  expect([...stepsDone({ ...DEMO, ...more })]).toEqual([step]);
});
