import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import type { ReasoningControls } from "../../core/catalog/catalog.ts";
import { fitThinking } from "./fit-thinking.ts";

const LEVELS = { effort: ["low", "medium", "high"] };
const BUDGET = { budget_tokens: { min: 1024, max: 32000 } };

interface Case {
  readonly asked: { readonly thinking?: Record<string, unknown>; readonly output_config?: Record<string, unknown> };
  /** The model's controls; null for a model that does not think. */
  readonly controls: ReasoningControls | null;
  readonly sent: { readonly thinking?: Record<string, unknown>; readonly output_config?: Record<string, unknown> };
  readonly ignored?: string[];
  readonly max_tokens?: number;
}

const CASES: Readonly<Record<string, Case>> = {
  "a model that does not think gets no thinking": {
    asked: { thinking: { type: "enabled", budget_tokens: 2000 }, output_config: { effort: "high" } },
    controls: null,
    sent: {},
    ignored: ["thinking", "output_config.effort"],
  },
  "a model that does not think honours disabled thinking without being told": {
    asked: { thinking: { type: "disabled" } },
    controls: null,
    sent: {},
  },
  "a model that does not think keeps the output's format": {
    asked: { output_config: { effort: "low", format: { type: "json_schema" } } },
    controls: null,
    sent: { output_config: { format: { type: "json_schema" } } },
    ignored: ["output_config.effort"],
  },
  "a model without known controls gets what was asked for": {
    asked: { thinking: { type: "enabled", budget_tokens: 2000 } },
    controls: {},
    sent: { thinking: { type: "enabled", budget_tokens: 2000 } },
  },
  "a level that the model has is sent": {
    asked: { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
    controls: LEVELS,
    sent: { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
  },
  "a level that the model lacks becomes the nearest lower one": {
    asked: { output_config: { effort: "max", format: null } },
    controls: LEVELS,
    sent: { output_config: { effort: "high", format: null } },
  },
  "a level that cannot be compared is left out": {
    asked: { output_config: { effort: "max" } },
    controls: { effort: ["default"] },
    sent: {},
    ignored: ["output_config.effort"],
  },
  "a budget becomes a level where the model knows levels only": {
    asked: { thinking: { type: "enabled", budget_tokens: 5000, display: "omitted" } },
    controls: LEVELS,
    max_tokens: 10000,
    sent: { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "medium" } },
  },
  "a budget gives way to a level beside it": {
    asked: { thinking: { type: "enabled", budget_tokens: 5000 }, output_config: { effort: "high" } },
    controls: LEVELS,
    sent: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
  },
  "a budget stays where the model knows both": {
    asked: { thinking: { type: "enabled", budget_tokens: 5000 }, output_config: { effort: "low" } },
    controls: { ...LEVELS, ...BUDGET },
    sent: { thinking: { type: "enabled", budget_tokens: 5000 }, output_config: { effort: "low" } },
  },
  "a budget above the model's largest becomes the largest": {
    asked: { thinking: { type: "enabled", budget_tokens: 50000 } },
    controls: BUDGET,
    sent: { thinking: { type: "enabled", budget_tokens: 32000 } },
  },
  "a budget below the model's smallest becomes the smallest": {
    asked: { thinking: { type: "enabled", budget_tokens: 10 } },
    controls: BUDGET,
    sent: { thinking: { type: "enabled", budget_tokens: 1024 } },
  },
  "a budget may be larger than the answer, as it may be when thoughts and tools alternate": {
    asked: { thinking: { type: "enabled", budget_tokens: 20000 } },
    controls: { budget_tokens: { min: 1024 } },
    max_tokens: 4000,
    sent: { thinking: { type: "enabled", budget_tokens: 20000 } },
  },
  "adaptive thinking becomes a budget where the model knows budgets only": {
    asked: { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
    controls: BUDGET,
    max_tokens: 20000,
    sent: { thinking: { type: "enabled", budget_tokens: 16000 } },
  },
  "adaptive thinking leaves room for the answer": {
    asked: { thinking: { type: "adaptive" } },
    controls: { budget_tokens: { min: 1024 } },
    max_tokens: 1100,
    sent: { thinking: { type: "enabled", budget_tokens: 1024 } },
  },
  "adaptive thinking without room for any is left out": {
    asked: { thinking: { type: "adaptive" } },
    controls: BUDGET,
    max_tokens: 1000,
    sent: {},
    ignored: ["thinking"],
  },
  "a level without thinking is left out where the model knows budgets only": {
    asked: { output_config: { effort: "low" } },
    controls: BUDGET,
    sent: {},
    ignored: ["output_config.effort"],
  },
  "disabled thinking stays disabled": {
    asked: { thinking: { type: "disabled" } },
    controls: LEVELS,
    sent: { thinking: { type: "disabled" } },
  },
};

describe("thinking is fitted to the model:", () => {
  test.each(Object.entries(CASES))("%s", (_name, { asked, controls, sent, ignored = [], max_tokens = 64000 }) => {
    const capabilities = controls === null ? { thinking: false } : { thinking: true, reasoning: controls };
    const { model } = targetFor("messages", { capabilities });
    const fields = { thinking: asked.thinking, output_config: asked.output_config };
    const fitted = fitThinking(fields, model, max_tokens);
    expect(fitted).toEqual({ thinking: undefined, output_config: undefined, ...sent, ignored });
  });

  test("returns the same objects where nothing has to change", () => {
    const fields = { thinking: { type: "adaptive" }, output_config: { effort: "low" } };
    const { model } = targetFor("messages", { capabilities: { thinking: true, reasoning: LEVELS } });
    const fitted = fitThinking(fields, model, 1000);
    expect(fitted.thinking).toBe(fields.thinking);
    expect(fitted.output_config).toBe(fields.output_config);
  });
});
