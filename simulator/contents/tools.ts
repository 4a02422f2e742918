import { perform, textBlock } from "../answer.ts";
import type { Ask, AskedTool } from "../ask.ts";
import { type Block, type Performance, slices, type ToolCall } from "../performance.ts";
import { instanceOf } from "../schema-instance.ts";
import { echo } from "./echo.ts";

const MOST_CALLS = 8;
const PIECE_LENGTH = 6;

/**
 * Calls tools with arguments that satisfy their schemas, and answers with their results once they have arrived.
 * `@say=1` writes a sentence before the calls; `@again=1` calls again after results (an agent's loop), `@until=TEXT`
 * until a result contains that text.
 */
export function tools(ask: Ask): Performance {
  if (hasEnough(ask)) return answerWithResults(ask);
  const calls = chosen(ask).map(callOf);
  if (calls.length === 0) return echo(ask);
  const spoken: Block[] = ask.model.params.has("say") ? [textBlock("Simulated: I will use a tool for that.")] : [];
  return perform(ask, { blocks: [...spoken, ...calls] });
}

function hasEnough({ tool_results, model: { params } }: Ask): boolean {
  if (tool_results.length === 0) return false;
  if (params.has("until")) return tool_results.some(({ text }) => text.includes(params.text("until", "")));
  return !params.has("again");
}

function answerWithResults(ask: Ask): Performance {
  const results = ask.tool_results.map(({ text }) => text).join("; ");
  return perform(ask, { blocks: [textBlock(`Simulated answer from tool results: ${results}`)] });
}

function chosen(ask: Ask): readonly AskedTool[] {
  const { tools: declared, tool_choice } = ask;
  if (tool_choice === "none" || declared.length === 0) return [];
  if (typeof tool_choice === "object") return declared.filter(({ name }) => name === tool_choice.name);
  const named = declared.filter(({ name }) => ask.last_user_text.includes(name));
  const candidates = named.length > 0 ? named : declared;
  const first = candidates.slice(0, 1);
  if (ask.parallel_tool_calls === false) return first;
  if (candidates.length > 1) return candidates.slice(0, MOST_CALLS);
  return /parallel/i.test(ask.last_user_text) ? [...first, ...first] : first;
}

function callOf(tool: AskedTool): ToolCall {
  const text = tool.custom ? "simulated input" : JSON.stringify(argumentsOf(tool));
  return { type: "tool_call", name: tool.name, pieces: slices(text, PIECE_LENGTH), custom: tool.custom };
}

function argumentsOf(tool: AskedTool): unknown {
  const made = instanceOf(tool.schema ?? { type: "object" });
  return typeof made === "object" ? made : {};
}
