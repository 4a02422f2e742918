import type { Call, Part, Question, Reasoning, Result, Source, Tool, ToolChoice, Turn } from "../question.ts";
import type { Fields } from "../read-fields.ts";
import type { Asked } from "./style.ts";

/** The default cap: messages requires a cap, and it includes the thinking budget. */
const USUAL_CAP = 8000;

/** A question as a messages request (docs/api.md 4.3). */
export function messagesBody(question: Question, { model, stream }: Asked): Fields {
  const { system, turns, tools, format, reasoning } = question;
  const choice = choiceOf(question.tool_choice, question.parallel);
  const output_config = {
    ...(format?.kind === "schema" && { format: { type: "json_schema", schema: format.schema } }),
    ...(reasoning?.effort !== undefined && reasoning.effort !== "none" && { effort: reasoning.effort }),
  };
  return {
    model,
    max_tokens: question.cap ?? USUAL_CAP,
    ...(system && { system: systemOf(system) }),
    messages: turns.map(messageOf),
    ...(stream && { stream: true }),
    ...(tools && { tools: tools.map(toolOf) }),
    ...(choice && { tool_choice: choice }),
    ...(question.stop && { stop_sequences: question.stop }),
    ...(reasoning && { thinking: thinkingOf(reasoning) }),
    ...(Object.keys(output_config).length > 0 && { output_config }),
    ...question.body,
  };
}

function systemOf(system: readonly string[]): string | readonly Fields[] {
  return system.length === 1 ? (system[0] ?? "") : system.map((text) => ({ type: "text", text }));
}

function messageOf(turn: Turn): Fields {
  switch (turn.role) {
    case "user":
      return { role: "user", content: contentOf(turn.parts) };
    case "system":
      return { role: "system", content: turn.text };
    case "assistant": {
      const said = turn.text === "" ? [] : [{ type: "text", text: turn.text }];
      return { role: "assistant", content: [...said, ...(turn.calls ?? []).map(callOf)] };
    }
    case "replay":
      return { role: "assistant", content: turn.native };
    case "results":
      return { role: "user", content: turn.results.map(resultOf) };
  }
}

function callOf({ id, name, input }: Call): Fields {
  return { type: "tool_use", id, name, input: JSON.parse(input) as unknown };
}

function resultOf({ call, parts, is_error }: Result): Fields {
  return { type: "tool_result", tool_use_id: call.id, content: contentOf(parts), ...(is_error && { is_error }) };
}

function contentOf(parts: readonly Part[]): string | readonly Fields[] {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === "text" && !only.cached) return only.text;
  return parts.map(partOf);
}

function partOf(part: Part): Fields {
  if (part.kind === "text")
    return { type: "text", text: part.text, ...(part.cached && { cache_control: { type: "ephemeral" } }) };
  return { type: part.kind, source: sourceOf(part.source) };
}

function sourceOf(source: Source): Fields {
  if (source.kind === "url") return { type: "url", url: source.url };
  return { type: "base64", media_type: source.media_type, data: source.base64 };
}

function toolOf(tool: Tool): Fields {
  if (tool.kind === "function") {
    const { name, schema, cached } = tool;
    const hint = cached && { cache_control: { type: "ephemeral" } };
    return { name, description: `Knows the ${name}.`, input_schema: schema, ...hint };
  }
  // Hosted tools have a dated type and a name.
  return tool.kind === "hosted" ? { type: tool.type, name: tool.type.replace(/_\d+$/, "") } : { name: tool.name };
}

function choiceOf(choice: ToolChoice | undefined, parallel: boolean | undefined): Fields | undefined {
  const serial = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallel === false ? { type: "auto", ...serial } : undefined;
  if (typeof choice === "object") return "name" in choice ? { type: "tool", name: choice.name, ...serial } : undefined;
  if (choice === "none") return { type: "none" };
  return { type: choice === "required" ? "any" : "auto", ...serial };
}

function thinkingOf({ effort, budget_tokens }: Reasoning): Fields {
  if (effort === "none") return { type: "disabled" };
  return budget_tokens === undefined ? { type: "adaptive" } : { type: "enabled", budget_tokens };
}
