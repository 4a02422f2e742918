import { type Ask, type AskedFormat, type AskedImage, type AskedTool, BadRequest, type ToolChoice } from "../ask.ts";
import { nextId, SIMULATED_CREATED } from "../ids.ts";
import type { ModelName } from "../model-name.ts";
import { type Block, type Performance, reportUsage, type SimulatedUsage, type ToolCall } from "../performance.ts";
import { openAiError } from "./openai-error.ts";
import { dataFrame, type Frame, type VendorProtocol } from "./protocol.ts";
import { imageFromUrl, isObject, type Json, objectsOf, readCap, readStop, requireObjects, textOf } from "./read.ts";

/** OpenAI's chat completions, with the reasoning dialect of DeepSeek and vLLM (`reasoning_content`). */
export const chatCompletions: VendorProtocol = {
  protocol: "chat-completions",
  stream_content_type: "text/event-stream; charset=utf-8",
  accepts: (path) => path.endsWith("/chat/completions"),
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  wantsStream: (body) => body.stream === true,
  readAsk,
  whole,
  frames,
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(openAiError(failure))),
};

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

function readAsk(model: ModelName, body: Json): Ask {
  const messages = requireObjects(body, "messages");
  const read = readMessages(messages);
  const tools = objectsOf(body.tools);
  return {
    model,
    stream: body.stream === true,
    include_usage: isObject(body.stream_options) && body.stream_options.include_usage === true,
    prompt: tools.length > 0 ? [...read.prompt, JSON.stringify(tools)] : read.prompt,
    last_user_text: read.last_user_text,
    images: read.images,
    tools: tools.map(readTool),
    tool_choice: readToolChoice(body.tool_choice),
    parallel_tool_calls: typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : null,
    tool_results: read.tool_results,
    output_cap: readCap(body, "max_completion_tokens") ?? readCap(body, "max_tokens"),
    stop: readStop(body.stop),
    format: readFormat(body.response_format),
    reasoning: {
      wanted: body.reasoning_effort !== "none",
      effort: typeof body.reasoning_effort === "string" ? body.reasoning_effort : null,
      encrypted: false,
    },
    choices: readCap(body, "n") ?? 1,
    body,
  };
}

interface ReadMessages {
  prompt: string[];
  last_user_text: string;
  images: AskedImage[];
  tool_results: { call_id: string; text: string }[];
}

function readMessages(messages: readonly Json[]): ReadMessages {
  const read: ReadMessages = { prompt: [], last_user_text: "", images: [], tool_results: [] };
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
    read.prompt.push(text);
    if (role === "user") read.last_user_text = text;
    if (role === "assistant") {
      read.tool_results = [];
      open_calls = readCalls(message, read.prompt);
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
  return { name, schema: isObject(declared) ? declared.parameters : undefined, custom: tool.type === "custom" };
}

function readToolChoice(choice: unknown): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (!isObject(choice)) return "auto";
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

const FINISH = {
  stop: "stop",
  stop_sequence: "stop",
  refusal: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
} as const satisfies Record<Performance["finish"], string>;

function whole(ask: Ask, performance: Performance): object {
  const choices = Array.from({ length: ask.choices }, (_, index) => ({
    index,
    message: message(performance),
    logprobs: null,
    finish_reason: FINISH[performance.finish],
  }));
  return {
    id: nextId("chatcmpl-sim"),
    object: "chat.completion",
    created: SIMULATED_CREATED,
    model: ask.model.full,
    choices,
    ...(performance.usage_reporting.omitted ? {} : { usage: wireUsage(performance, ask.choices) }),
    service_tier: "default",
    system_fingerprint: "fp_simulated",
  };
}

function message(performance: Performance): object {
  const calls = performance.blocks.filter((block) => block.type === "tool_call");
  return {
    role: "assistant",
    content: textOfType(performance.blocks, "text"),
    refusal: textOfType(performance.blocks, "refusal"),
    ...(performance.reasoning === null ? {} : { reasoning_content: performance.reasoning.pieces.join("") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wireCall(call, call.pieces.join(""))) }),
    annotations: [],
  };
}

function textOfType(blocks: readonly Block[], type: "text" | "refusal"): string | null {
  const pieces = blocks.flatMap((block) => (block.type === type ? block.pieces : []));
  return pieces.length === 0 ? null : pieces.join("");
}

function wireCall(call: ToolCall, text: string): object {
  const id = nextId("call_sim");
  if (call.custom) return { id, type: "custom", custom: { name: call.name, input: text } };
  return { id, type: "function", function: { name: call.name, arguments: text } };
}

function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const chunk = chunkWriter(ask);
  const { usage_reporting } = performance;
  const early = usage_reporting.early ? { usage: wireUsage(preliminary(performance), 1) } : {};
  for (let index = 0; index < ask.choices; index++) {
    yield chunk("opening", index, { role: "assistant", content: "", refusal: null }, early);
    yield* contentFrames(performance, index, chunk);
    yield chunk("closing", index, {}, { finish: FINISH[performance.finish] });
  }
  if (ask.include_usage && !usage_reporting.omitted) yield chunk.usage(wireUsage(performance, ask.choices));
  yield dataFrame("terminal", "[DONE]");
}

function preliminary(performance: Performance): Performance {
  return { ...performance, usage: { ...performance.usage, output: 1, reasoning: 0 } };
}

function* contentFrames(performance: Performance, index: number, chunk: ChunkWriter): Generator<Frame> {
  for (const piece of performance.reasoning?.pieces ?? []) yield chunk("content", index, { reasoning_content: piece });
  let call_index = 0;
  for (const block of performance.blocks) {
    if (block.type === "text") for (const piece of block.pieces) yield chunk("content", index, { content: piece });
    if (block.type === "refusal") for (const piece of block.pieces) yield chunk("content", index, { refusal: piece });
    if (block.type === "tool_call") yield* callFrames(block, call_index++, index, chunk);
  }
}

function* callFrames(call: ToolCall, call_index: number, index: number, chunk: ChunkWriter): Generator<Frame> {
  yield chunk("content", index, { tool_calls: [{ index: call_index, ...wireCall(call, "") }] });
  for (const piece of call.pieces) {
    const delta = call.custom ? { custom: { input: piece } } : { function: { arguments: piece } };
    yield chunk("content", index, { tool_calls: [{ index: call_index, ...delta }] });
  }
}

interface Ending {
  readonly finish?: string;
  readonly usage?: unknown;
}

interface ChunkWriter {
  (part: Frame["part"], index: number, delta: object, ending?: Ending): Frame;
  usage(usage: unknown): Frame;
}

/** Writes chunks whose constant parts are made once per stream. */
function chunkWriter(ask: Ask): ChunkWriter {
  const id = nextId("chatcmpl-sim");
  const model = JSON.stringify(ask.model.full);
  const head =
    `{"id":"${id}","object":"chat.completion.chunk","created":${SIMULATED_CREATED},"model":${model},` +
    `"service_tier":"default","system_fingerprint":"fp_simulated","choices":[`;
  const tail = ask.include_usage ? `],"usage":null}` : "]}";
  const write = (part: Frame["part"], index: number, delta: object, ending: Ending = {}) => {
    const { finish = null, usage } = ending;
    const choice = `{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}`;
    return dataFrame(part, head + choice + (usage !== undefined ? `],"usage":${JSON.stringify(usage)}}` : tail));
  };
  return Object.assign(write, {
    usage: (usage: unknown) => dataFrame("closing", `${head}],"usage":${JSON.stringify(usage)}}`),
  });
}

/** Style A counts cached tokens inside the prompt's. */
function wireUsage({ usage, usage_reporting }: Performance, choices: number): unknown {
  return reportUsage(
    chatUsage({ ...usage, output: usage.output * choices, reasoning: usage.reasoning * choices }),
    usage_reporting,
  );
}

function chatUsage(usage: SimulatedUsage): object {
  const prompt_tokens = usage.input + usage.cache_read + usage.cache_write;
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read,
      ...(usage.cache_write > 0 ? { cache_write_tokens: usage.cache_write } : {}),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
