import type { GenerationRequest, Tool } from "../../core/answer/generation.ts";
import { choosable, demandError, judgeChoice, unknownChoiceError } from "../shared/tool-choice.ts";

/** Why tools are left out: the target's vendor does not have them, or they have no price there. */
export type Lack = "not-there" | "no-price";

/**
 * The request without the tools that its target is not given, which are named (docs/rulings.md 11, 144, 190). A tool
 * choice that only they could meet is dropped and named where the vendor does not have them, and a 400 where they have no
 * price; one that names no tool of the request is a 400.
 */
export function withoutTools(
  request: GenerationRequest,
  isLeftOut: (tool: Tool) => boolean,
  { model, ignored, lack }: { readonly model: string; readonly ignored: string[]; readonly lack: Lack },
): GenerationRequest {
  const left_out = request.tools.filter(isLeftOut);
  const { tool_choice: choice, ...rest } = request;
  if (left_out.length === 0 && choice === undefined) return request;
  for (const tool of left_out) ignored.push(`tools.${tool.kind === "hosted" ? tool.type : tool.name}`);
  const tools = left_out.length === 0 ? request.tools : request.tools.filter((tool) => !isLeftOut(tool));
  const verdict = judgeChoice(choice, tools.map(choosable), left_out.map(choosable));
  if (verdict === "stays") return tools === request.tools ? request : { ...request, tools };
  if (verdict === "unknown" && choice?.mode === "named") throw unknownChoiceError(choice, CODE);
  if (verdict === "demands" && lack === "no-price") throw demandError(model, left_out.map(choosable), CODE);
  // Without tools, a choice that demands no call asks for what happens anyway.
  if (choice?.mode === "required" || choice?.mode === "named") ignored.push("tool_choice");
  return { ...rest, tools };
}

const CODE = "unsupported_parameter";
