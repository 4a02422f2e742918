import type { GenerationRequest, Tool, ToolChoice } from "../../core/answer/generation.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";

/** The tools, and which of them the model may or must call. */
export type ToolSettings = Pick<GenerationRequest, "tools" | "tool_choice">;

/**
 * What is left of a tool choice once some of the tools were left out (docs/rulings.md 190): it stays; it goes, as it has
 * nothing left to choose; it demands what was left out; or it names a tool that was never offered.
 */
export type ChoiceVerdict = "stays" | "goes" | "demands" | "unknown";

/** A tool as a choice may name it. `is_hosted`: the vendor's own, which some protocols choose by its type. */
export interface ChoosableTool {
  readonly name: string;
  readonly is_hosted: boolean;
}

/**
 * The rule for every code that takes tools out of a request: no vendor is asked for a tool that it was not given, and no
 * demand is dropped.
 */
export function judgeChoice(
  choice: ToolChoice | undefined,
  kept: readonly ChoosableTool[],
  left_out: readonly ChoosableTool[],
): ChoiceVerdict {
  if (choice?.mode === "named") {
    if (kept.some((tool) => isChosen(choice, tool))) return "stays";
    return left_out.some((tool) => isChosen(choice, tool)) ? "demands" : "unknown";
  }
  if (kept.length > 0) return "stays";
  return choice?.mode === "required" && left_out.length > 0 ? "demands" : "goes";
}

export type NamedChoice = Extract<ToolChoice, { mode: "named" }>;

function isChosen({ name, hosted }: NamedChoice, tool: ChoosableTool): boolean {
  return tool.name === name && (hosted !== true || tool.is_hosted);
}

/** The tool that a choice names: the client's own before one of the vendor's that is called the same. */
export function chosenTool(choice: NamedChoice, tools: readonly Tool[]): Tool | undefined {
  const named = tools.filter((tool) => isChosen(choice, choosable(tool)));
  return named.find(({ kind }) => kind !== "hosted") ?? named[0];
}

export function choosable({ kind, name }: Tool): ChoosableTool {
  return { name, is_hosted: kind === "hosted" };
}

/** The 400 for a choice that only tools without a price could meet (docs/rulings.md 190). */
export function demandError(model: string, left_out: readonly ChoosableTool[], code: ErrorCode): GatewayError {
  const names = [...new Set(left_out.map(({ name }) => JSON.stringify(name.slice(0, 64))))].slice(0, 4).join(", ");
  const message = `'tool_choice' demands the tool ${names}, which has no price for ${model}. Without the choice the tool is left out, and the request is answered.`;
  return new GatewayError(code, message, { param: "tool_choice" });
}

/** The 400 for a choice that names a tool which is not among the request's tools. */
export function unknownChoiceError({ name }: NamedChoice, code: ErrorCode): GatewayError {
  const message = `'tool_choice' names ${JSON.stringify(name.slice(0, 64))}, which is not among 'tools'.`;
  return new GatewayError(code, message, { param: "tool_choice" });
}
