import type { EncodedRequest, RequestField } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type { FunctionTool, GenerationRequest, ToolChoice } from "../../core/answer/generation.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import type { JsonRecord } from "../../core/json.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import { unsaidDetail, unsaidStrictness } from "../shared/unsaid.ts";
import { encodeMessages, encodeSystem, isReplayed, pushCachePoint } from "./encode-messages.ts";
import { FAMILY_TRAITS, type FamilyTraits, familyOf, type ModelFamily } from "./model-family.ts";
import type { ConverseRequest, ConverseTool, ConverseToolChoice, InferenceConfig } from "./wire.ts";

interface EncodedTools {
  readonly config: ConverseRequest["toolConfig"] | undefined;
  /** Fields beside the common shape: Anthropic's own `tool_choice`, which can express more than Converse's. */
  readonly fields: JsonRecord;
  /** True when the client forbade calls, but the model cannot be told to make none while tools are declared. */
  readonly choice_ignored: boolean;
  /** True when the client asked to cache tools, and the model cannot cache tools. */
  readonly cache_ignored: boolean;
}

const NO_TOOLS: EncodedTools = { config: undefined, fields: {}, choice_ignored: false, cache_ignored: false };

/** The tools of a request, and which of them must be called. */
function encodeTools(request: GenerationRequest, traits: FamilyTraits): EncodedTools {
  const declared = request.tools.filter((tool) => tool.kind === "function");
  const forbidden = request.tool_choice?.mode === "none" || declared.length === 0;
  // The API requires tools for a conversation that holds calls, even if the client no longer sends the tools.
  const tools = declared.length > 0 ? declared : calledTools(request);
  if (tools.length === 0) return NO_TOOLS;
  if (forbidden && !traits.call_control && calledTools(request).length === 0) return NO_TOOLS;
  const cache_ignored = !traits.long_cache && tools.some(({ cache }) => cache !== undefined);
  const wire = tools.flatMap((tool) => encodeTool(tool, traits));
  if (forbidden) {
    const fields = traits.call_control ? { tool_choice: { type: "none" } } : {};
    return {
      config: { tools: wire },
      fields,
      choice_ignored: request.tool_choice !== undefined && !traits.call_control,
      cache_ignored,
    };
  }
  return { ...withChoice(wire, request), choice_ignored: false, cache_ignored };
}

function withChoice(tools: ConverseTool[], { tool_choice, parallel_tool_calls }: GenerationRequest) {
  // Anthropic's own tool choice and Converse's exclude each other.
  if (parallel_tool_calls === false) {
    const choice = { ...anthropicChoice(tool_choice), disable_parallel_tool_use: true };
    return { config: { tools }, fields: { tool_choice: choice } };
  }
  const choice = tool_choice === undefined ? null : converseChoice(tool_choice);
  return { config: { tools, ...(choice === null ? {} : { toolChoice: choice }) }, fields: {} };
}

function encodeTool({ name, description, parameters, cache }: FunctionTool, traits: FamilyTraits): ConverseTool[] {
  const json = parameters === undefined ? { type: "object", properties: {} } : { type: "object", ...parameters };
  const described = description === undefined || description.trim() === "" ? {} : { description };
  const tools: ConverseTool[] = [{ toolSpec: { name, ...described, inputSchema: { json } } }];
  if (traits.long_cache) pushCachePoint(tools, cache, traits);
  return tools;
}

function converseChoice(choice: ToolChoice): ConverseToolChoice | null {
  switch (choice.mode) {
    case "auto":
      return { auto: {} };
    case "required":
      return { any: {} };
    case "named":
      return { tool: { name: choice.name } };
    case "none":
      return null;
  }
}

function anthropicChoice(choice: ToolChoice | undefined): { type: string; name?: string } {
  if (choice?.mode === "named") return { type: "tool", name: choice.name };
  return { type: choice?.mode === "required" ? "any" : "auto" };
}

/** Declarations, by name only, of the tools that were called in the conversation. */
function calledTools({ messages }: GenerationRequest): FunctionTool[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") names.add(part.name);
  }
  return [...names].map((name) => ({ kind: "function", name }));
}

/** Encodes a neutral request for Converse or ConverseStream; the model's name is part of the path. */
export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const family = familyOf(target);
  const traits = FAMILY_TRAITS[family];
  const ignored: RequestField[] = [];
  const system = encodeSystem(request.messages, traits);
  const tools = encodeTools(request, traits);
  const reasoning = fitToMaker(request, target, family);
  const sampling = encodeSampling(request, { thinks: reasoning.thinks, family }, ignored);
  if (reasoning.ignored) ignored.push("reasoning");
  if (tools.choice_ignored) ignored.push("tool_choice");
  if (tools.cache_ignored) ignored.push("cache_hints");
  const { inference } = sampling;
  const fields = { ...reasoning.fields, ...tools.fields, ...sampling.fields };
  const body: ConverseRequest = {
    messages: encodeMessages(request.messages, traits),
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
    ...(tools.config === undefined ? {} : { toolConfig: tools.config }),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }),
    ...(family === "anthropic" ? { additionalModelResponseFieldPaths: [stopSequencePath(request.stream)] } : {}),
  };
  const operation = request.stream ? "converse-stream" : "converse";
  const path = `/model/${encodeURIComponent(target.upstream_model)}/${operation}`;
  const unsaid = [...unsaidStrictness(request.tools), ...unsaidDetail(request.messages, ["image", "document"])];
  return { path, body: JSON.stringify(body), headers: {}, ignored: [...ignored, ...unsaid] };
}

/** The place in the maker's own answer of the stop sequence that matched; Converse itself does not report it. */
function stopSequencePath(stream: boolean): string {
  return stream ? "/delta/stop_sequence" : "/stop_sequence";
}

/** Sampling and the cap: what Converse has in common for all models, and what stands in its maker's fields. */
interface ConverseSampling {
  readonly inference: InferenceConfig;
  readonly fields: JsonRecord;
}

const LEAST_TOP_P_WITH_THINKING = 0.95;

/**
 * Fits sampling to the target: the API's highest temperature is 1, and thinking of Anthropic's models excludes nearly
 * all sampling. Adds to `ignored` what is left out.
 */
function encodeSampling(
  { max_output_tokens, temperature, top_p, top_k, stop }: GenerationRequest,
  { thinks, family }: { readonly thinks: boolean; readonly family: ModelFamily },
  ignored: RequestField[],
): ConverseSampling {
  const is_high = temperature !== undefined && (temperature > 1 || (thinks && temperature !== 1));
  const is_low = thinks && top_p !== undefined && top_p < LEAST_TOP_P_WITH_THINKING;
  const is_unsampled = thinks && top_k !== undefined;
  if (is_high) ignored.push("temperature");
  if (is_low) ignored.push("top_p");
  if (is_unsampled) ignored.push("top_k");
  const inference = {
    ...(max_output_tokens !== undefined && { maxTokens: max_output_tokens }),
    ...(temperature !== undefined && !thinks && { temperature: Math.min(temperature, 1) }),
    ...(top_p !== undefined && !is_low && { topP: top_p }),
    ...(stop !== undefined && stop.length > 0 && { stopSequences: stop }),
  };
  if (top_k === undefined || is_unsampled) return { inference, fields: {} };
  return { inference, fields: family === "amazon" ? { inferenceConfig: { topK: top_k } } : { top_k } };
}

/** Reasoning in the fields of the model's maker, which stand beside Converse's common shape. */
interface MakersReasoning {
  readonly fields: JsonRecord;
  /** Whether the model will think as Anthropic's models do, which excludes sampling and forced calls. */
  readonly thinks: boolean;
  /** True when the request asked for reasoning that the model cannot give. */
  readonly ignored: boolean;
}

const IGNORED: MakersReasoning = { fields: {}, thinks: false, ignored: true };
const USUAL_LARGEST_OUTPUT = 64_000;
const USUAL_EFFORT = "high";

/** Fits a reasoning setting to a model (docs/rulings.md 12) and writes it in its maker's fields. */
function fitToMaker(request: GenerationRequest, { model }: Target, family: ModelFamily): MakersReasoning {
  const cap = request.max_output_tokens ?? model.max_completion_tokens ?? USUAL_LARGEST_OUTPUT;
  const fitted = fitReasoning(request.reasoning, model.capabilities, family === "anthropic" ? cap : null);
  const { enabled, effort, budget_tokens, ignored } = fitted;
  if (enabled === undefined && effort === undefined && budget_tokens === undefined)
    return { fields: {}, thinks: false, ignored };
  switch (family) {
    case "anthropic":
      return anthropic(request, fitted, model, cap);
    case "openai":
      return openai(fitted);
    case "amazon":
      return amazon(request, fitted, model);
    case "other":
      return IGNORED;
  }
}

function said(fields: JsonRecord, ignored: boolean): MakersReasoning {
  return { fields, thinks: false, ignored };
}

/**
 * A budget where the model has one, else adaptive thinking at a level. No thinking where the vendor refuses it: beside
 * forced calls, and in a turn that goes on without its thinking blocks.
 */
function anthropic(request: GenerationRequest, fitted: FittedReasoning, model: Model, cap: number): MakersReasoning {
  const { effort: levels = [], budget_tokens: range } = model.capabilities.reasoning ?? {};
  const { ignored } = fitted;
  // Models with levels may think unless the request disables thinking; models with a budget think only when it is
  // enabled.
  if (fitted.enabled === false) return said(levels.length > 0 ? { thinking: { type: "disabled" } } : {}, ignored);
  const choice = request.tool_choice?.mode;
  if (choice === "required" || choice === "named" || lastRole(request) === "assistant") return IGNORED;
  if (range === undefined) {
    const config = fitted.effort === undefined ? {} : { output_config: { effort: fitted.effort } };
    return { fields: { thinking: { type: "adaptive", ...display(request) }, ...config }, thinks: true, ignored };
  }
  if (lastRole(request) === "tool" && !isReplayed(lastAnswer(request)?.content[0])) return IGNORED;
  const budget_tokens = fitted.budget_tokens ?? budgetOf(request, model, cap);
  if (budget_tokens === undefined) return IGNORED;
  return { fields: { thinking: { type: "enabled", budget_tokens } }, thinks: true, ignored };
}

/** The token budget of the level that was asked for, or of the usual level. */
function budgetOf({ reasoning }: GenerationRequest, { capabilities }: Model, cap: number): number | undefined {
  const budget_tokens = capabilities.reasoning?.budget_tokens ?? {};
  const effort = reasoning?.effort ?? USUAL_EFFORT;
  return fitReasoning({ effort }, { ...capabilities, reasoning: { budget_tokens } }, cap).budget_tokens;
}

/** Newer models send their thoughts only when the request asks for them. */
function display({ reasoning }: GenerationRequest): object {
  if (reasoning?.show === undefined) return {};
  return { display: reasoning.show === "none" ? "omitted" : "summarized" };
}

function openai({ enabled, effort, ignored }: FittedReasoning): MakersReasoning {
  const level = enabled === false ? "none" : effort;
  return level === undefined ? IGNORED : said({ reasoning_effort: level }, ignored);
}

function amazon(request: GenerationRequest, fitted: FittedReasoning, model: Model): MakersReasoning {
  if (fitted.enabled === false) return said({ reasoningConfig: { type: "disabled" } }, fitted.ignored);
  if (fitted.effort === undefined) return IGNORED;
  // Nova's highest level accepts neither an output cap nor sampling.
  const is_bound = [request.max_output_tokens, request.temperature, request.top_p].some((value) => value !== undefined);
  const lowered = fitted.effort === "high" && is_bound;
  const { effort = fitted.effort } = lowered ? fitReasoning({ effort: "medium" }, model.capabilities, null) : fitted;
  return said({ reasoningConfig: { type: "enabled", maxReasoningEffort: effort } }, fitted.ignored);
}

function lastRole({ messages }: GenerationRequest) {
  return messages.findLast(({ role }) => role !== "system")?.role;
}

function lastAnswer({ messages }: GenerationRequest) {
  return messages.findLast((message) => message.role === "assistant");
}
