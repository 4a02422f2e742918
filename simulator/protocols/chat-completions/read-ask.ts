import { type Ask, type AskedFormat, type AskedImage, type AskedTool, BadRequest, type ToolChoice } from "../../ask.ts";
import { addUserTurn, type Conversation, conversationAsk, emptyConversation } from "../../conversation.ts";
import type { ModelName } from "../../model-name.ts";
import { imageFromUrl, isObject, type Json, objectsOf, readCap, readStop, requireObjects, textOf } from "../read.ts";
import { chatRule } from "../strictness.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

export function readAsk(model: ModelName, body: Json): Ask {
  const messages = requireObjects(body, "messages");
  const read = readMessages(messages, model);
  const tools = objectsOf(body.tools);
  return conversationAsk(model, body, read, {
    declared: tools,
    stream: body.stream === true,
    include_usage: isObject(body.stream_options) && body.stream_options.include_usage === true,
    tools: allowed(tools.map(readTool), body.tool_choice),
    tool_choice: readToolChoice(body.tool_choice),
    parallel_tool_calls: typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : null,
    output_cap: readCap(body, "max_completion_tokens") ?? readCap(body, "max_tokens"),
    stop: readStop(body.stop),
    format: readFormat(body.response_format),
    reasoning: {
      wanted: body.reasoning_effort !== "none",
      effort: typeof body.reasoning_effort === "string" ? body.reasoning_effort : null,
      encrypted: false,
    },
    choices: readCap(body, "n") ?? 1,
  });
}

function readMessages(messages: readonly Json[], model: ModelName): Conversation {
  const checkAnswer = chatRule(model);
  const read = emptyConversation();
  let open_calls = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const role = textOf(message.role);
    if (!ROLES.includes(role)) {
      throw new BadRequest(
        `Invalid value: '${role}'. Supported values are: ${ROLES.join(", ")}.`,
        `messages[${index}].role`,
      );
    }
    const text = readContent(message.content, read.images, `messages[${index}].content`);
    if (role === "user") addUserTurn(read, [text]);
    else read.prompt.push(text);
    if (role === "assistant") {
      checkAnswer?.(message, index);
      read.tool_results = [];
      open_calls = readCalls(message, read.prompt);
      read.turns.push({ role, text, calls: open_calls.size });
    }
    if (role === "tool") {
      const call_id = textOf(message.tool_call_id);
      if (!open_calls.has(call_id)) throw strayToolMessage(index);
      read.tool_results.push({ call_id, text });
    }
  }
  return read;
}

function strayToolMessage(index: number): BadRequest {
  return new BadRequest(
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    `messages[${index}].tool_call_id`,
  );
}

function readCalls(message: Json, prompt: string[]): Set<string> {
  const ids = new Set<string>();
  for (const call of objectsOf(message.tool_calls)) {
    ids.add(textOf(call.id));
    if (isObject(call.function)) prompt.push(textOf(call.function.name), textOf(call.function.arguments));
  }
  return ids;
}

function readContent(content: unknown, images: AskedImage[], param: string): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const [index, part] of objectsOf(content).entries()) {
    if (part.type === "text") text += textOf(part.text);
    if (part.type === "refusal") text += textOf(part.refusal);
    if (part.type === "image_url") {
      const source = isObject(part.image_url) ? part.image_url.url : undefined;
      images.push(imageFromUrl(source, `${param}[${index}].image_url.url`));
    }
  }
  return text;
}

function readTool(tool: Json, index: number): AskedTool {
  const declared = tool.type === "custom" ? tool.custom : tool.function;
  const name = isObject(declared) ? textOf(declared.name) : "";
  if (name === "")
    throw new BadRequest(`Missing required parameter: 'tools[${index}].function.name'.`, `tools[${index}]`);
  const { parameters, description } = isObject(declared) ? declared : {};
  return { name, schema: parameters, description: textOf(description), custom: tool.type === "custom" };
}

/** The declared tools, narrowed by `allowed_tools`. */
function allowed(tools: readonly AskedTool[], choice: unknown): readonly AskedTool[] {
  if (!isObject(choice) || !isObject(choice.allowed_tools)) return tools;
  const names = objectsOf(choice.allowed_tools.tools).map(({ function: declared }) =>
    isObject(declared) ? declared.name : undefined,
  );
  return tools.filter(({ name }) => names.includes(name));
}

function readToolChoice(choice: unknown): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (!isObject(choice)) return "auto";
  if (isObject(choice.allowed_tools)) return choice.allowed_tools.mode === "required" ? "required" : "auto";
  const named = choice.type === "custom" ? choice.custom : choice.function;
  return isObject(named) ? { name: textOf(named.name) } : "auto";
}

function readFormat(format: unknown): AskedFormat {
  if (!isObject(format)) return { type: "text" };
  if (format.type === "json_object") return { type: "json" };
  if (format.type === "json_schema" && isObject(format.json_schema)) {
    return { type: "schema", schema: format.json_schema.schema };
  }
  return { type: "text" };
}
