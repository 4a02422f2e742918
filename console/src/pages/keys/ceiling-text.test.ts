import { expect, test } from "bun:test";
import type { KeyCeilings } from "../../../../contract/keys.ts";
import { ceilingText } from "./ceiling-text.ts";

const NONE: KeyCeilings = { models: null, budget: null, rpm: null, tpm: null, concurrent: null, expires_at: null };

test("what members may set at most is written as numbers are everywhere else", () => {
  const budget = { value: { amount_micro: 123_456_789_123_456, window: "month" }, set_on: "key" } as const;
  const rpm = { value: 1_000_000_000, set_on: "configuration" } as const;
  const ceilings: KeyCeilings = { ...NONE, budget, rpm };
  expect(ceilingText(ceilings, "budget", "USD")).toBe(
    "Members: at most $123,456,789.123456 a month; an administrator has set this for the key.",
  );
  expect(ceilingText(ceilings, "rpm", "USD")).toBe("Members: at most 1,000,000,000; this is the gateway's default.");
  expect(ceilingText(ceilings, "tpm", "USD")).toBe("");
});
