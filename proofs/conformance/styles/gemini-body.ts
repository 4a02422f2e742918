import type { Call, Part, Question, Reasoning, Result, Tool, ToolChoice, Turn } from "../question.ts";
import type { Fields } from "../read-fields.ts";

/** A question as a request of Gemini's style (docs/api.md 4.14). */
export function geminiBody(question: Question): Fields {
  const { system = [], developer = [], turns, tools, tool_choice, format, reasoning } = question;
  const instructions = [...system, ...developer];
  const config = {
    ...(question.cap !== undefined && { maxOutputTokens: question.cap }),
    ...(question.choices !== undefined && { candidateCount: question.choices }),
    ...(question.stop && { stopSequences: question.stop }),
    ...(format && { responseMimeType: "application/json" }),
    ...(format?.kind === "schema" && { responseJsonSchema: format.schema }),
    ...(reasoning && { thinkingConfig: thinkingOf(reasoning) }),
    ...(question.body?.generationConfig as Fields | undefined),
  };
  const { generationConfig: _, ...more } = question.body ?? {};
  return {
    contents: turns.flatMap(contentsOf),
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions.map((text) => ({ text })) } }),
    ...(tools && { tools: toolsOf(tools) }),
    ...(tool_choice !== undefined && { toolConfig: { functionCallingConfig: callingOf(tool_choice) } }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...more,
  };
}

function contentsOf(turn: Turn): Fields[] {
  switch (turn.role) {
    case "user":
      return [{ role: "user", parts: turn.parts.map(partOf) }];
    case "system":
      throw new Error("this style has no instructions amid the conversation");
    case "assistant": {
      const said = turn.text === "" ? [] : [{ text: turn.text }];
      return [{ role: "model", parts: [...said, ...(turn.calls ?? []).map(callOf)] }];
    }
    case "replay":
      return [{ role: "model", parts: turn.native }];
    case "results":
      return [{ role: "user", parts: turn.results.map(resultOf) }];
  }
}

function callOf({ id, name, input }: Call): Fields {
  return { functionCall: { id, name, args: JSON.parse(input) as unknown } };
}

function resultOf({ call, parts, is_error }: Result): Fields {
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  const media = parts.filter(({ kind }) => kind !== "text").map(partOf);
  const response = { [is_error ? "error" : "output"]: text };
  const { id, name } = call;
  return { functionResponse: { id, name, response, ...(media.length > 0 && { parts: media }) } };
}

function partOf(part: Part): Fields {
  if (part.kind === "text") return { text: part.text };
  const { source } = part;
  if (source.kind === "data") return { inlineData: { mimeType: source.media_type, data: source.base64 } };
  return { fileData: { fileUri: source.url, mimeType: part.kind === "image" ? "image/png" : "application/pdf" } };
}

function toolsOf(tools: readonly Tool[]): Fields[] {
  const functions = tools.flatMap((tool) =>
    tool.kind === "function"
      ? [{ name: tool.name, description: `Knows the ${tool.name}.`, parametersJsonSchema: tool.schema }]
      : [],
  );
  const hosted = tools.flatMap((tool) => (tool.kind === "hosted" ? [{ [tool.type]: {} }] : []));
  return [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...hosted];
}

function callingOf(choice: ToolChoice): Fields {
  if (typeof choice === "string") return { mode: { auto: "AUTO", none: "NONE", required: "ANY" }[choice] };
  return { mode: "ANY", allowedFunctionNames: "name" in choice ? [choice.name] : choice.allowed };
}

function thinkingOf({ effort, budget_tokens, shown }: Reasoning): Fields {
  if (effort === "none") return { thinkingBudget: 0 };
  return {
    ...(shown && { includeThoughts: true }),
    ...(budget_tokens !== undefined && { thinkingBudget: budget_tokens }),
    ...(effort !== undefined && { thinkingLevel: effort.toUpperCase() }),
  };
}
