import type { Format, Part, Question, Reasoning, Tool, ToolChoice, Turn } from "../question.ts";
import type { Fields } from "../read-fields.ts";
import { urlOf } from "./data-url.ts";
import type { Asked } from "./style.ts";

/** A question as a chat completions request (docs/api.md 4.1). */
export function chatBody(question: Question, { model, stream }: Asked): Fields {
  const { system = [], developer = [], turns, tools, tool_choice, format, reasoning, choices } = question;
  return {
    model,
    messages: [
      ...system.map((content) => ({ role: "system", content })),
      ...developer.map((content) => ({ role: "developer", content })),
      ...turns.flatMap(messagesOf),
    ],
    ...(stream && { stream: true }),
    ...(stream && question.usage !== false && { stream_options: { include_usage: true } }),
    ...(tools && { tools: tools.map(toolOf) }),
    ...(tool_choice !== undefined && { tool_choice: choiceOf(tool_choice) }),
    ...(question.parallel !== undefined && { parallel_tool_calls: question.parallel }),
    ...(format && { response_format: formatOf(format) }),
    ...(question.stop && { stop: question.stop }),
    ...(question.cap !== undefined && { max_completion_tokens: question.cap }),
    ...(reasoning && reasoningOf(reasoning)),
    ...(choices !== undefined && { n: choices }),
    ...question.body,
  };
}

function messagesOf(turn: Turn): Fields[] {
  switch (turn.role) {
    case "user":
      return [{ role: "user", content: contentOf(turn.parts), ...(turn.name && { name: turn.name }) }];
    case "system":
      return [{ role: "system", content: turn.text }];
    case "assistant":
      return [
        { role: "assistant", content: turn.text || null, ...(turn.calls && { tool_calls: turn.calls.map(callOf) }) },
      ];
    case "replay":
      return [...turn.native];
    case "results":
      return turn.results.map(({ call, parts }) => ({
        role: "tool",
        tool_call_id: call.id,
        content: contentOf(parts),
      }));
  }
}

function callOf({ id, name, input }: { readonly id: string; readonly name: string; readonly input: string }): Fields {
  return { id, type: "function", function: { name, arguments: input } };
}

function contentOf(parts: readonly Part[]): string | readonly Fields[] {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === "text" && !only.cached) return only.text;
  return parts.map(partOf);
}

function partOf(part: Part): Fields {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text, ...(part.cached && { cache_control: { type: "ephemeral" } }) };
    case "image":
      return { type: "image_url", image_url: { url: urlOf(part.source) } };
    case "document":
      return { type: "file", file: { filename: part.filename, file_data: urlOf(part.source) } };
  }
}

function toolOf(tool: Tool): Fields {
  switch (tool.kind) {
    case "function": {
      const { name, schema, cached } = tool;
      const declared = { name, description: `Knows the ${name}.`, parameters: schema };
      return { type: "function", function: declared, ...(cached && { cache_control: { type: "ephemeral" } }) };
    }
    case "custom":
      return { type: "custom", custom: { name: tool.name, description: "Takes free text." } };
    case "hosted":
      return { type: tool.type };
  }
}

function choiceOf(choice: ToolChoice): unknown {
  if (typeof choice === "string") return choice;
  if ("name" in choice) return { type: "function", function: { name: choice.name } };
  const tools = choice.allowed.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode: "required", tools } };
}

function formatOf(format: Format): Fields {
  if (format.kind === "object") return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "answer", schema: format.schema, strict: true } };
}

/** A budget is written in the form of messages, which the gateway's chat accepts too (docs/rulings.md 78). */
function reasoningOf({ effort, budget_tokens }: Reasoning): Fields {
  if (budget_tokens !== undefined) return { thinking: { type: "enabled", budget_tokens } };
  return effort === undefined ? {} : { reasoning_effort: effort };
}
