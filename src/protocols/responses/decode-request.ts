import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { GenerationRequest, OutputFormat, ReasoningSetting } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { declaredFormat } from "../shared/declared-tools.ts";
import type { ToolSettings } from "../shared/tool-choice.ts";
import { compactionPrompt, wantsCompaction } from "./compaction.ts";
import { decodeInput } from "./decode-input.ts";
import { decodeToolSettings, furtherMembers } from "./decode-tools.ts";
import { toolLists } from "./namespaces.ts";
import { onlyInResponses, unsupportedFeature, unsupportedFeatureError } from "./unsupported-feature.ts";

/** The entries of `include` (docs/api.md 4.2) that translation itself honours. */
const HONOURED: ReadonlySet<unknown> = new Set(["reasoning.encrypted_content", "message.output_text.logprobs"]);

/** The entries that only items of the vendor's own tools give, by the beginning of their names, with their tools. */
const OF_TOOLS: readonly (readonly [string, RegExp])[] = [
  ["web_search_call.", /^web_search/],
  ["file_search_call.", /^file_search$/],
  ["code_interpreter_call.", /^code_interpreter$/],
  ["computer_call_output.", /^computer/],
];

/** Whether an entry asks for what only calls of these types of tools give. */
export function isOfTool(entry: unknown, types: readonly string[]): boolean {
  if (typeof entry !== "string") return false;
  return OF_TOOLS.some(([beginning, tool]) => entry.startsWith(beginning) && types.some((type) => tool.test(type)));
}

/** The entries that a vendor of another protocol cannot honour: each is left out and named (docs/rulings.md 190). */
function unhonouredEntries(include: unknown): string[] {
  if (!Array.isArray(include)) return [];
  return include.filter((entry): entry is string => typeof entry === "string" && !HONOURED.has(entry));
}

/**
 * Decodes a responses request into its neutral form (docs/api.md 4.2). The body was checked when it arrived; it may
 * also have been sent to chat completions (docs/rulings.md 14b). Throws `unsupported_responses_feature` for fields that
 * only a vendor of this protocol can honour (docs/rulings.md 11).
 */
export function decodeRequest({ body, model, stream, output_cap, memory }: ClientRequest): GenerationRequest {
  // Where the gateway itself keeps responses (docs/adr/0017), `store` asks nothing of the vendor.
  const unsupported = unsupportedFeature(memory === undefined ? body : { ...body, store: null });
  if (unsupported !== null)
    throw unsupportedFeatureError(unsupported, "this model cannot honour: it is not reached by responses");
  const { messages, tools, left_out } = decodeInput(body.instructions, body.input);
  const compacts = wantsCompaction(body.input);
  const settings = decodeToolSettings(body, tools);
  const text = isObject(body.text) ? body.text : {};
  const reasoning = decodeReasoning(body);
  const format = decodeFormat(text.format);
  const verbosity = text.verbosity ?? body.verbosity;
  const end_user = body.safety_identifier ?? body.user;
  return {
    model,
    stream,
    messages: compacts ? [...messages, compactionPrompt] : messages,
    ...(compacts ? withoutCalls(settings) : settings),
    ...(output_cap !== null && { max_output_tokens: output_cap }),
    ...(typeof body.temperature === "number" && { temperature: body.temperature }),
    ...(typeof body.top_p === "number" && { top_p: body.top_p }),
    ...decodeLogprobs(body),
    ...(format && !compacts && { format }),
    ...(typeof verbosity === "string" && { verbosity }),
    ...(reasoning && { reasoning }),
    ...(typeof end_user === "string" && end_user !== "" && { end_user }),
    ...(typeof body.parallel_tool_calls === "boolean" && { parallel_tool_calls: body.parallel_tool_calls }),
    ...(typeof body.prompt_cache_key === "string" && { prompt_cache_key: body.prompt_cache_key }),
    ...(typeof body.service_tier === "string" && { service_tier: body.service_tier }),
    ...(isObject(body.metadata) && { metadata: body.metadata }),
    extras: { ...extrasOf(body, text), ...Object.fromEntries(left_out.map((type) => [`input.${type}`, true])) },
  };
}

/** No calls, for a summary. The tools stay, because some vendors require the tools of the calls in the conversation. */
function withoutCalls({ tools }: ToolSettings): ToolSettings {
  return tools.length === 0 ? { tools } : { tools, tool_choice: { mode: "none" } };
}

function decodeLogprobs(body: JsonRecord): Pick<GenerationRequest, "logprobs"> {
  const top = typeof body.top_logprobs === "number" ? body.top_logprobs : 0;
  const wanted = top > 0 || includes(body, "message.output_text.logprobs");
  return wanted ? { logprobs: { top } } : {};
}

function decodeReasoning(body: JsonRecord): ReasoningSetting | undefined {
  const { effort, summary, generate_summary } = isObject(body.reasoning) ? body.reasoning : {};
  const show = summary ?? generate_summary;
  const setting: ReasoningSetting = {
    ...(typeof effort === "string" && { effort }),
    ...((show === "auto" || show === "concise" || show === "detailed") && { show }),
    ...(includes(body, "reasoning.encrypted_content") && { want_opaque: true }),
  };
  return Object.keys(setting).length === 0 ? undefined : setting;
}

function includes({ include }: JsonRecord, value: string): boolean {
  return Array.isArray(include) && include.includes(value);
}

function decodeFormat(format: unknown): OutputFormat | undefined {
  if (!isObject(format)) return undefined;
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json-object" };
    case "json_schema":
      if (isObject(format.schema)) return declaredFormat(format, format.schema);
  }
  throw onlyInResponses("text.format", `a format of the type ${JSON.stringify(format.type)} that has no 'schema'`);
}

/** Fields that are read above, or that do not affect the answer. */
const READ: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "stream", "stream_options", "max_output_tokens", "temperature", "top_p"],
  ...["tools", "tool_choice", "parallel_tool_calls", "reasoning", "text", "verbosity", "include", "top_logprobs"],
  ...["safety_identifier", "user", "metadata", "prompt_cache_key", "service_tier"],
  ...["store", "background", "client_metadata", "context_management"],
]);

/** Values of other fields that ask for what happens anyway. */
const CHANGES_NOTHING: JsonRecord = { truncation: "disabled" };
const READ_OF_TEXT: ReadonlySet<string> = new Set(["format", "verbosity"]);
const READ_OF_REASONING: ReadonlySet<string> = new Set(["effort", "summary", "generate_summary"]);

/** Fields without a neutral form; the client is told that they were left out. */
function extrasOf(body: JsonRecord, text: JsonRecord): JsonRecord {
  return {
    ...unread(body, READ, ""),
    ...named("include", unhonouredEntries(body.include)),
    ...named("tools", [...toolLists(body)].flatMap(furtherMembers)),
    ...unread(text, READ_OF_TEXT, "text."),
    ...unread(isObject(body.reasoning) ? body.reasoning : {}, READ_OF_REASONING, "reasoning."),
  };
}

function unread(fields: JsonRecord, read: ReadonlySet<string>, prefix: string): Record<string, unknown> {
  const extras: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (!read.has(name) && value !== undefined && value !== null && CHANGES_NOTHING[name] !== value)
      extras[prefix + name] = value;
  return extras;
}

/** What is left out within a field, as `include.web_search_call.action.sources`. */
function named(field: string, left_out: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(left_out.map((name) => [`${field}.${name}`, true]));
}
