import type { Call, Format, Part, Question, Reasoning, Result, Tool, ToolChoice, Turn } from "../question.ts";
import type { Fields } from "../read-fields.ts";
import { urlOf } from "./data-url.ts";
import type { Asked } from "./style.ts";

/** A question as a responses request (docs/api.md 4.2). The first system prompt is `instructions`. */
export function responsesBody(question: Question, { model, stream }: Asked): Fields {
  const { system = [], developer = [], turns, tools, tool_choice, format, reasoning } = question;
  const [instructions, ...others] = system;
  return {
    model,
    ...(instructions !== undefined && { instructions }),
    input: [
      ...others.map((content) => ({ type: "message", role: "system", content })),
      ...developer.map((content) => ({ type: "message", role: "developer", content })),
      ...turns.flatMap(itemsOf),
    ],
    ...(stream && { stream: true }),
    ...(tools && { tools: tools.map(toolOf) }),
    ...(tool_choice !== undefined && { tool_choice: choiceOf(tool_choice) }),
    ...(question.parallel !== undefined && { parallel_tool_calls: question.parallel }),
    ...(format && { text: { format: formatOf(format) } }),
    ...(question.cap !== undefined && { max_output_tokens: question.cap }),
    ...(reasoning && reasoningOf(reasoning)),
    ...question.body,
  };
}

function itemsOf(turn: Turn): Fields[] {
  switch (turn.role) {
    case "user":
      return [{ type: "message", role: "user", content: contentOf(turn.parts) }];
    case "system":
      return [{ type: "message", role: "system", content: turn.text }];
    case "assistant": {
      const content = [{ type: "output_text", text: turn.text, annotations: [] }];
      const said = turn.text === "" ? [] : [{ type: "message", role: "assistant", content }];
      return [...said, ...(turn.calls ?? []).map(callOf)];
    }
    case "replay":
      return [...turn.native];
    case "results":
      return turn.results.map(resultOf);
  }
}

function callOf({ id, name, input }: Call): Fields {
  return { type: "function_call", call_id: id, name, arguments: input };
}

function resultOf({ call, parts }: Result): Fields {
  const type = call.custom ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: call.id, output: contentOf(parts) };
}

function contentOf(parts: readonly Part[]): string | readonly Fields[] {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === "text" && !only.cached) return only.text;
  return parts.map(partOf);
}

function partOf(part: Part): Fields {
  switch (part.kind) {
    case "text":
      return {
        type: "input_text",
        text: part.text,
        ...(part.cached && { prompt_cache_breakpoint: { mode: "explicit" } }),
      };
    case "image":
      return { type: "input_image", image_url: urlOf(part.source), detail: "auto" };
    case "document":
      return part.source.kind === "url"
        ? { type: "input_file", file_url: part.source.url }
        : { type: "input_file", filename: part.filename, file_data: urlOf(part.source) };
  }
}

function toolOf(tool: Tool): Fields {
  switch (tool.kind) {
    case "function":
      return {
        type: "function",
        name: tool.name,
        description: `Knows the ${tool.name}.`,
        parameters: tool.schema,
        strict: false,
      };
    case "custom":
      return { type: "custom", name: tool.name, description: "Takes free text." };
    case "hosted":
      return { type: tool.type };
  }
}

function choiceOf(choice: ToolChoice): unknown {
  if (typeof choice === "string") return choice;
  if ("name" in choice) return { type: "function", name: choice.name };
  const tools = choice.allowed.map((name) => ({ type: "function", name }));
  return { type: "allowed_tools", mode: "required", tools };
}

function formatOf(format: Format): Fields {
  if (format.kind === "object") return { type: "json_object" };
  return { type: "json_schema", name: "answer", schema: format.schema, strict: true };
}

/** Asks for encrypted reasoning, so that the next request can send it back. */
function reasoningOf({ effort, shown }: Reasoning): Fields {
  return {
    reasoning: { ...(effort !== undefined && { effort }), ...(shown && { summary: "auto" }) },
    include: ["reasoning.encrypted_content"],
  };
}
