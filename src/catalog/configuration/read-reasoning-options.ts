import type { ReasoningControls } from "../../core/catalog.ts";
import { countIn, isRecord, type JsonRecord, textsIn } from "./json-source.ts";

const LEVELS = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Reads how models.dev describes the controls of a reasoning model: a switch, levels of effort, a budget of tokens. */
export function readReasoningOptions(options: unknown): ReasoningControls {
  let controls: ReasoningControls = {};
  for (const option of Array.isArray(options) ? options.filter(isRecord) : []) {
    if (option.type === "toggle") controls = { ...controls, toggle: true };
    if (option.type === "budget_tokens") controls = { ...controls, budget_tokens: readBudget(option) };
    if (option.type === "effort") controls = { ...controls, ...readEffort(textsIn(option, "values")) };
  }
  return controls;
}

/** The effort level `none` turns reasoning off, so it counts as the switch (`toggle`). */
function readEffort(values: readonly string[]): ReasoningControls {
  const effort = values.filter((value) => value !== "none").sort((a, b) => LEVELS.indexOf(a) - LEVELS.indexOf(b));
  return { ...(values.includes("none") ? { toggle: true } : {}), ...(effort.length > 0 ? { effort } : {}) };
}

function readBudget(option: JsonRecord): { min?: number; max?: number } {
  const min = countIn(option, "min");
  const max = countIn(option, "max");
  return { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
}
