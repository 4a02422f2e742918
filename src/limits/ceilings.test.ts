import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "../core/money/money.ts";
import { type Ceilings, NO_CEILINGS } from "../core/people/principal.ts";
import { ceilingsAfter, ceilingsOf, firstAbove, patternCovers, restoredToCeilings } from "./ceilings.ts";

const DEFAULTS = { rpm: 60, concurrent: 8 };
const SET: Ceilings = {
  models: ["acme/*", "other/small"],
  rpm: 30,
  tpm: 1000,
  concurrent: 4,
  budget: { amount_micro: micro(500), window: "week" },
  expires_ms: 2_000,
  barred: false,
};
const on_key = ceilingsOf({ ceilings: SET }, DEFAULTS);

describe("the limits that a member may set on a key with ceilings", () => {
  test.each([
    ["a lower rate", { rpm: 29 }, null],
    ["the same rate", { rpm: 30 }, null],
    ["a higher rate", { rpm: 31 }, "rpm"],
    ["no rate of its own", { rpm: null }, null],
    ["more tokens", { tpm: 1001 }, "tpm"],
    ["more at once", { concurrent: 5 }, "concurrent"],
    ["some of the models", { models: ["acme/swift", "acme/*-mini"] }, null],
    ["a model beside them", { models: ["acme/swift", "third/one"] }, "models"],
    ["all models", { models: ["*"] }, "models"],
    ["a smaller budget", { budget: { amount_micro: micro(499), window: "week" } as const }, null],
    ["a larger budget", { budget: { amount_micro: micro(501), window: "week" } as const }, "budget"],
    [
      "a smaller budget of a shorter window",
      { budget: { amount_micro: micro(499), window: "day" } as const },
      "budget",
    ],
    ["an earlier end", { expires_ms: 1_999 }, null],
    ["a later end", { expires_ms: 2_001 }, "expires_ms"],
  ])("%s", (_, asked, above) => {
    expect(firstAbove(asked, on_key)).toBe(above as never);
  });
});

test("the nearest value counts: the key's, else the account's, else the configuration's", () => {
  const account_limits = { models: ["x"], rpm: 500, tpm: null, concurrent: null, budget: null };
  expect(ceilingsOf({ account_limits }, DEFAULTS)).toEqual({
    models: null,
    rpm: { value: 500, set_on: "account" },
    tpm: null,
    concurrent: { value: 8, set_on: "configuration" },
    budget: null,
    expires_ms: null,
  });
  expect(ceilingsOf({ ceilings: SET, account_limits }, DEFAULTS).rpm).toEqual({ value: 30, set_on: "key" });
});

test("a limit that a member takes away becomes the administrator's, and no limit where there is none", () => {
  expect(restoredToCeilings({ rpm: null, tpm: 5, models: null, expires_ms: null }, SET)).toEqual({
    ...{ rpm: 30, tpm: 5, models: SET.models, expires_ms: 2_000 },
  });
  expect(restoredToCeilings({ rpm: null, budget: null })).toEqual({ rpm: null, budget: null });
});

test("a limit that an administrator sets is the ceiling from then on; the other ceilings stay", () => {
  expect(ceilingsAfter({ rpm: 90, budget: null }, SET)).toEqual({ ...SET, rpm: 90, budget: null });
  expect(ceilingsAfter({ tpm: 7 })).toEqual({ ...NO_CEILINGS, tpm: 7 });
});

describe("a pattern covers another", () => {
  const matches = (pattern: string, id: string) =>
    new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "s").test(id);
  const text = (letters: string[]) =>
    fc.array(fc.constantFrom(...letters), { maxLength: 6 }).map((all) => all.join(""));

  test("only where it matches everything that the other matches", () => {
    fc.assert(
      fc.property(text(["a", "b", "*"]), text(["a", "b", "*"]), text(["a", "b", "c"]), (wide, narrow, id) => {
        if (patternCovers(wide, narrow) && matches(narrow, id)) expect(matches(wide, id)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ["acme/*", "acme/swift", true],
    ["acme/*", "acme/*", true],
    ["acme/*", "acme/*-mini", true],
    ["acme/*-mini", "acme/*", false],
    ["*", "anything/*", true],
    ["acme/swift", "acme/*", false],
    ["a.c/*", "abc/x", false],
  ])("%s and %s: %p", (wide, narrow, expected) => {
    expect(patternCovers(wide, narrow)).toBe(expected);
  });
});
