import { describe, expect, test } from "bun:test";
import type { ReasoningSetting } from "../../core/answer/generation.ts";
import type { Capabilities, ReasoningControls } from "../../core/catalog/catalog.ts";
import { type FittedReasoning, fitReasoning } from "./fit-reasoning.ts";

const BASE = { streaming: true, tools: true, json: true, vision: true };
const model = (reasoning?: ReasoningControls): Capabilities =>
  reasoning === undefined ? { ...BASE, thinking: false } : { ...BASE, thinking: true, reasoning };

const PLAIN = model();
const UNCONTROLLED = model({});
const LEVELS = model({ effort: ["low", "medium", "high"] });
const BUDGET = model({ toggle: true, budget_tokens: { min: 1024, max: 20_000 } });
const BOTH = model({ toggle: true, effort: ["low", "high"], budget_tokens: { min: 1024, max: 20_000 } });
const TOGGLE = model({ toggle: true });

type Case = readonly [string, ReasoningSetting | undefined, Capabilities, Partial<FittedReasoning>, number?];

const CASES: readonly Case[] = [
  ["no setting stays no setting", undefined, BOTH, {}],
  ["visibility alone is no setting of the reasoning", { show: "auto", want_opaque: true }, BOTH, {}],
  ["an effort is ignored for a model that does not reason", { effort: "high" }, PLAIN, { ignored: true }],
  ["a model that does not reason is off already", { effort: "none" }, PLAIN, {}],
  ["a model that does not reason is off already", { enabled: false }, PLAIN, {}],
  ["a level that the model has", { effort: "medium" }, LEVELS, { effort: "medium" }],
  ["the nearest lower level", { effort: "xhigh" }, LEVELS, { effort: "high" }],
  ["the lowest where none is lower", { effort: "minimal" }, LEVELS, { effort: "low" }],
  ["off is the lowest level without a toggle", { effort: "none" }, LEVELS, { effort: "low" }],
  ["off with a toggle", { effort: "none" }, BUDGET, { enabled: false }],
  ["off with a toggle", { enabled: false }, BOTH, { enabled: false }],
  [
    "off is the least budget without a toggle",
    { enabled: false },
    model({ budget_tokens: {} }),
    { budget_tokens: 1024 },
  ],
  ["off is not possible without controls", { enabled: false }, UNCONTROLLED, { ignored: true }],
  ["an effort is a share of the largest budget", { effort: "medium" }, BUDGET, { budget_tokens: 10_000 }],
  ["a budget stays a budget", { budget_tokens: 5000 }, BUDGET, { budget_tokens: 5000 }],
  ["a budget is kept in range", { budget_tokens: 90_000 }, BUDGET, { budget_tokens: 20_000 }],
  ["a budget is kept in range", { budget_tokens: 5 }, BOTH, { budget_tokens: 1024 }],
  ["a budget leaves room for the answer", { budget_tokens: 9000 }, BUDGET, { budget_tokens: 3999 }, 4000],
  ["no budget where there is no room", { effort: "high" }, BUDGET, { ignored: true }, 1000],
  ["a budget as a level", { budget_tokens: 30_000 }, LEVELS, { effort: "high" }],
  ["an effort before a budget where the model has both", { effort: "high" }, BOTH, { effort: "high" }],
  [
    "a budget stays a budget where the model has both",
    { effort: "high", budget_tokens: 2000 },
    BOTH,
    { budget_tokens: 2000 },
  ],
  ["enabled without an amount stays so", { enabled: true }, BUDGET, { enabled: true }],
  ["a toggle is turned on, and the effort is ignored", { effort: "high" }, TOGGLE, { enabled: true, ignored: true }],
  ["an effort is ignored without controls", { effort: "high" }, UNCONTROLLED, { ignored: true }],
];

describe("a reasoning setting, fitted to a model", () => {
  for (const [name, setting, capabilities, fitted, room] of CASES) {
    test(`${name}: ${JSON.stringify(setting)}`, () => {
      expect(fitReasoning(setting, capabilities, room ?? null)).toEqual({ ignored: false, ...fitted });
    });
  }
});
