import type { ToolChoice } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { declaredFunction } from "../shared/declared-tools.ts";
import type { ToolSettings } from "../shared/tool-choice.ts";
import type { ChatCompletionRequest } from "./wire-request.ts";

/**
 * The form before `tools` (docs/rulings.md 52): `functions` and `function_call` in a request, and one `function_call` in an
 * answer.
 */

/** Whether a body offers functions in the old form, so that its answer has that form too. */
export function offersOldFunctions({ functions }: JsonRecord): boolean {
  return Array.isArray(functions) && functions.length > 0;
}

/**
 * The functions as tools, of which one is called at a time; null where there are none. Throws 400 beside `tools`: an answer
 * has one of the two forms.
 */
export function oldFunctions({
  functions,
  function_call,
  tools,
}: ChatCompletionRequest): (ToolSettings & { readonly parallel_tool_calls: false }) | null {
  if (!functions || functions.length === 0) return null;
  if (tools && tools.length > 0) {
    const message = "'functions' was given beside 'tools', whose form before it was; allowed: one of the two.";
    throw new GatewayError("unsupported_parameter", message, { param: "functions" });
  }
  return {
    tools: functions.map((declared) => declaredFunction({ ...declared, strict: null }, declared.name)),
    ...(function_call && { tool_choice: asChoice(function_call) }),
    parallel_tool_calls: false,
  };
}

function asChoice(choice: NonNullable<ChatCompletionRequest["function_call"]>): ToolChoice {
  return isObject(choice) ? { mode: "named", name: choice.name } : { mode: choice };
}
