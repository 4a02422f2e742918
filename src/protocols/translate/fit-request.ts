import type { RequestField, VendorTraits } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type {
  AssistantPart,
  FunctionTool,
  GenerationRequest,
  Message,
  OpaqueFamily,
  SystemMessage,
  TextPart,
  Tool,
  UserMessage,
} from "../../core/answer/generation.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";
import { withArrayItems } from "../shared/array-items.ts";
import { objectSchema } from "../shared/object-schema.ts";
import { asksReasoning } from "../shared/sampling.ts";
import { asReminder } from "../shared/substitute-texts.ts";
import { customToolNames, customToolsAsFunctions, FunctionCallsAsCustom } from "./custom-tools.ts";
import type { EventPass } from "./event-pass.ts";
import { AnswerFromTool, formatAsTool } from "./json-by-tool.ts";
import { jsonByWords, WithoutFence } from "./json-by-words.ts";
import { resultsBehindCalls } from "./results-behind-calls.ts";
import { keepSupportedSettings } from "./settings.ts";
import { StopSequences } from "./stop-sequences.ts";
import { withoutTools } from "./without-tools.ts";

/** A request that its target can honour in full, and the passes that undo the changes in the answer. */
export interface FittedRequest {
  readonly request: GenerationRequest;
  /**
   * The settings that were left out, by their neutral names, or by the client's name where there is no neutral name.
   */
  readonly ignored: readonly string[];
  /** New passes for one answer's events. */
  openPasses(): AnswerPasses;
}

export interface AnswerPasses {
  readonly passes: readonly EventPass[];
  /** The pass that ends the answer at a stop sequence; null where the vendor ends it there. */
  readonly stop: StopSequences | null;
}

/**
 * Fits a client's request to a target: a setting that the target lacks is applied by the gateway, else left out and
 * named.
 */
export function fitRequest(asked: GenerationRequest, traits: VendorTraits, target: Target): FittedRequest {
  const makers: (() => EventPass)[] = [];
  const ignored: string[] = Object.keys(asked.extras);
  const isLacking = (tool: Tool) => tool.kind === "hosted" && !traits.hosted_tools.includes(tool.type);
  let request = withoutTools(asked, isLacking, { ignored, model: target.model.id, lack: "not-there" });
  const honoured = keepSupportedSettings(identified(request, target, ignored), {
    honours: traits.honours,
    price: target.price,
  });
  for (const name of honoured.ignored) ignored.push(name);
  request = withoutForeignReasoning(honoured.request, traits.families);
  request = { ...request, messages: resultsBehindCalls(request.messages, traits.call_ids) };
  if (!traits.system_in_place) request = systemAsReminders(request);

  const custom_names = customToolNames(request);
  if (!traits.custom_tools) {
    request = customToolsAsFunctions(request);
    if (custom_names.size > 0) makers.push(() => new FunctionCallsAsCustom(custom_names));
  }
  const formatted = fitFormat({ request, traits, target, makers, ignored });
  request = withObjectSchemas(formatted, target.endpoint.protocol, ignored);

  const sequences = request.stop ?? [];
  const cuts = !traits.stop_sequences && sequences.length > 0;
  if (cuts) request = without(request, "stop");
  return { request, ignored, openPasses };

  function openPasses(): AnswerPasses {
    const stop = cuts ? new StopSequences(sequences) : null;
    const passes = makers.map((make) => make());
    return { passes: stop === null ? passes : [...passes, stop], stop };
  }
}

/** The end user's id is sent only where the vendor is configured to receive it (docs/rulings.md 56). */
function identified(request: GenerationRequest, target: Target, ignored: string[]): GenerationRequest {
  if (request.end_user === undefined || target.vendor.forwards_safety_identifier) return request;
  ignored.push("end_user" satisfies RequestField);
  return without(request, "end_user");
}

interface FormatFitting {
  readonly request: GenerationRequest;
  readonly traits: VendorTraits;
  readonly target: Target;
  readonly makers: (() => EventPass)[];
  readonly ignored: string[];
}

/**
 * An output format that the target lacks: JSON without a schema is asked for in words, a schema becomes a tool; where the
 * model has no tools either, it is left out.
 */
function fitFormat({ request, traits, target, makers, ignored }: FormatFitting): GenerationRequest {
  const { format } = request;
  if (format === undefined || format.type === "text") return without(request, "format");
  const { capabilities } = target.model;
  const has_it = format.type === "json-schema" ? traits.json_schema : traits.json_object;
  if (has_it && capabilities.json) return request;
  // An answer that must call one of the client's tools has no text that the format could hold for.
  const mode = request.tool_choice?.mode;
  if (mode === "required" || mode === "named") return without(request, "format");
  if (format.type === "json-object") {
    makers.push(() => new WithoutFence());
    return jsonByWords(request);
  }
  if (!capabilities.tools) {
    ignored.push("format" satisfies RequestField);
    return without(request, "format");
  }
  const fitted = formatAsTool(request, format, !(capabilities.thinking && asksReasoning(request)));
  makers.push(() => new AnswerFromTool(fitted.tool_name));
  return fitted.request;
}

function without<Name extends "format" | "stop" | "end_user">(
  request: GenerationRequest,
  name: Name,
): GenerationRequest {
  if (request[name] === undefined) return request;
  const { [name]: _, ...rest } = request;
  return rest as GenerationRequest;
}

type IsForeign = (part: AssistantPart) => boolean;

/**
 * The request without opaque reasoning of other families (docs/rulings.md 12). Reasoning without visible text is
 * removed whole; visible text stays, for targets that take it back.
 */
function withoutForeignReasoning(request: GenerationRequest, families: readonly OpaqueFamily[]): GenerationRequest {
  const isForeign: IsForeign = (part) =>
    "opaque" in part && part.opaque !== undefined && !families.includes(part.opaque.family);
  if (!request.messages.some((message) => holdsForeign(message, isForeign))) return request;
  const messages = request.messages.map((message) => cleaned(message, isForeign)).filter((message) => message !== null);
  return { ...request, messages };
}

function holdsForeign(message: Message, isForeign: IsForeign): boolean {
  return message.role === "assistant" && message.content.some(isForeign);
}

/** Null for an answer that held nothing but foreign reasoning. */
function cleaned(message: Message, isForeign: IsForeign): Message | null {
  if (message.role !== "assistant" || !holdsForeign(message, isForeign)) return message;
  const content: AssistantPart[] = [];
  for (const part of message.content) {
    if (!isForeign(part)) content.push(part);
    else if (part.type !== "reasoning" || part.text !== "") content.push(withoutOpaque(part));
  }
  return content.length === 0 ? null : { ...message, content };
}

function withoutOpaque(part: AssistantPart): AssistantPart {
  if (!("opaque" in part)) return part;
  const { opaque: _, ...rest } = part;
  return rest;
}

/**
 * A request whose system messages amid the conversation became user text at their place (docs/rulings.md 160). The text
 * joins the user message before it, else the user message after it, so that turns still alternate.
 */
function systemAsReminders(request: GenerationRequest): GenerationRequest {
  if (!request.messages.some(isInPlace)) return request;
  const messages: Message[] = [];
  let reminders: TextPart[] = [];
  for (const message of request.messages) {
    if (isInPlace(message)) {
      for (const part of message.content) if (part.text.trim() !== "") reminders.push(reminder(part));
      continue;
    }
    const last = messages.at(-1);
    if (reminders.length === 0) messages.push(message);
    else if (last?.role === "user") messages.splice(-1, 1, withContent(last, [...last.content, ...reminders]), message);
    else if (message.role === "user") messages.push(withContent(message, [...reminders, ...message.content]));
    else messages.push({ role: "user", content: reminders }, message);
    reminders = [];
  }
  const last = messages.at(-1);
  if (reminders.length > 0 && last?.role === "user")
    messages[messages.length - 1] = withContent(last, [...last.content, ...reminders]);
  else if (reminders.length > 0) messages.push({ role: "user", content: reminders });
  return { ...request, messages };
}

function isInPlace(message: Message): message is SystemMessage {
  return message.role === "system" && message.in_place === true;
}

function reminder(part: TextPart): TextPart {
  return { ...part, text: asReminder(part.text) };
}

function withContent(message: UserMessage, content: UserMessage["content"]): UserMessage {
  return { ...message, content };
}

/**
 * The request with the parameters of its functions as plain objects at their roots, which is what vendors of every
 * protocol take, and with what OpenAI's lists must say (docs/rulings.md 196). Throws `unsupported_parameter` for parameters
 * that are no object.
 */
export function withObjectSchemas(
  request: GenerationRequest,
  protocol: Protocol,
  ignored: string[],
): GenerationRequest {
  const wants_items = protocol === "chat-completions" || protocol === "responses";
  const tools = request.tools.map((tool) => {
    if (tool.kind !== "function") return tool;
    const plain = withObjectSchema(tool, ignored);
    return wants_items ? withItems(plain, ignored) : plain;
  });
  return tools.every((tool, index) => tool === request.tools[index]) ? request : { ...request, tools };
}

function withObjectSchema(tool: FunctionTool, ignored: string[]): FunctionTool {
  const { name, parameters } = tool;
  if (parameters === undefined) return tool;
  const found = objectSchema(parameters);
  if ("fault" in found) {
    const message = `'tools' has the tool ${JSON.stringify(name.slice(0, 60))}, whose schema ${found.fault}; allowed: the JSON Schema of an object.`;
    throw new GatewayError("unsupported_parameter", message, { param: "tools" });
  }
  const { schema } = found;
  // Merged alternatives have members that are not required, which strict functions may not have.
  return withParameters(tool, schema, schema.properties === parameters.properties, ignored);
}

function withItems(tool: FunctionTool, ignored: string[]): FunctionTool {
  // Strict functions may not have lists of anything.
  return tool.parameters === undefined ? tool : withParameters(tool, withArrayItems(tool.parameters), false, ignored);
}

/** The tool with a schema; a strict one is strict no longer, which is named, unless the schema may be. */
function withParameters(
  tool: FunctionTool,
  parameters: JsonRecord,
  may_be_strict: boolean,
  ignored: string[],
): FunctionTool {
  if (parameters === tool.parameters) return tool;
  if (tool.strict !== true || may_be_strict) return { ...tool, parameters };
  ignored.push("tools.strict");
  return { ...tool, parameters, strict: false };
}
