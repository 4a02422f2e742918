import type { EncodedRequest, RequestField } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type {
  FunctionTool,
  GenerationRequest,
  OutputFormat,
  ReasoningSetting,
  ToolChoice,
} from "../../core/answer/generation.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { unsaidDetail } from "../shared/unsaid.ts";
import { encodeConversation } from "./encode-contents.ts";
import { fitSchema } from "./json-schema.ts";
import type {
  FunctionCallingConfig,
  FunctionDeclaration,
  GeminiConfig,
  GeminiThinking,
  SentGenerateContent,
} from "./wire-request.ts";

/** Encodes a neutral request for `generateContent` or `streamGenerateContent`; the model's name is part of the path. */
export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const { model, vendor } = target;
  const call_ids = vendor.quirks.no_call_ids !== true;
  const { contents, system } = encodeConversation(request.messages, { call_ids, is_gemini_3: isGemini3(model) });
  const thinking = fitThinking(request.reasoning, model);
  const ignored: string[] = thinking.ignored ? ["reasoning" satisfies RequestField] : [];
  const config = encodeConfig(request, thinking.config);
  const body: SentGenerateContent = {
    contents,
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...encodeTools(request, ignored),
    ...(config === undefined ? {} : { generationConfig: config }),
  };
  const unsaid = unsaidDetail(request.messages, ["image", "document"]);
  return {
    path: pathOf(target.upstream_model, request.stream),
    body: JSON.stringify(body),
    headers: {},
    ignored: [...ignored, ...unsaid],
  };
}

/** `/models/NAME:generateContent`; a name with slashes (`tunedModels/NAME`, `endpoints/ID`) is a path already. */
export function pathOf(name: string, stream: boolean): string {
  const segments = name.includes("/") ? name.split("/") : ["models", name];
  const path = segments.map(encodeURIComponent).join("/");
  return `/${path}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

/** The settings of a request; undefined when it has none. */
function encodeConfig(request: GenerationRequest, thinking: GeminiThinking | undefined): GeminiConfig | undefined {
  const { max_output_tokens, temperature, top_p, top_k, seed, stop, logprobs, format } = request;
  const { presence_penalty, frequency_penalty } = request;
  const config: GeminiConfig = {
    ...(max_output_tokens === undefined ? {} : { maxOutputTokens: max_output_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { topP: top_p }),
    ...(top_k === undefined ? {} : { topK: top_k }),
    ...(presence_penalty === undefined ? {} : { presencePenalty: presence_penalty }),
    ...(frequency_penalty === undefined ? {} : { frequencyPenalty: frequency_penalty }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: checkedStop(stop) }),
    ...(logprobs === undefined ? {} : { responseLogprobs: true }),
    ...(logprobs === undefined || logprobs.top === 0 ? {} : { logprobs: logprobs.top }),
    ...(format === undefined ? {} : encodeFormat(format)),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}

const MOST_STOP_SEQUENCES = 5;

function checkedStop(stop: readonly string[]): string[] {
  if (stop.length <= MOST_STOP_SEQUENCES) return [...stop];
  throw new GatewayError(
    "unsupported_parameter",
    `'stop' holds ${stop.length} sequences; allowed for this model: at most ${MOST_STOP_SEQUENCES}.`,
    { param: "stop" },
  );
}

function encodeFormat(format: OutputFormat): Pick<GeminiConfig, "responseMimeType" | "responseJsonSchema"> {
  switch (format.type) {
    case "text":
      return {};
    case "json-object":
      return { responseMimeType: "application/json" };
    case "json-schema":
      return { responseMimeType: "application/json", responseJsonSchema: fitSchema(format.schema).schema };
  }
}

interface ThinkingSetting {
  readonly config: GeminiThinking | undefined;
  /** True when the request asked for reasoning that the model does not have. */
  readonly ignored: boolean;
}

/**
 * A reasoning setting in Gemini's fields (docs/rulings.md 12): a level for models with levels, a budget for models with
 * budgets. The budget may be larger than the output cap, of which it is a part.
 */
export function fitThinking(setting: ReasoningSetting | undefined, { capabilities }: Model): ThinkingSetting {
  const fitted = fitReasoning(setting, capabilities, null);
  if (setting === undefined || !capabilities.thinking) return { config: undefined, ignored: fitted.ignored };
  const config = { ...(isShown(setting) ? { includeThoughts: true } : {}), ...amountOf(fitted) };
  return { config: Object.keys(config).length === 0 ? undefined : config, ignored: fitted.ignored };
}

/**
 * Whether the answer shows summaries of thoughts. A client that asks for reasoning, and not for its visibility, gets
 * them.
 */
function isShown({ show, enabled, effort, budget_tokens }: ReasoningSetting): boolean {
  if (enabled === false || effort === "none") return false;
  return show === undefined ? enabled === true || effort !== undefined || budget_tokens !== undefined : show !== "none";
}

/** How much the model may think; no field leaves it to the model. */
function amountOf({ enabled, effort, budget_tokens }: FittedReasoning): GeminiThinking {
  if (enabled === false) return { thinkingBudget: 0 };
  if (effort !== undefined) return { thinkingLevel: effort };
  return budget_tokens === undefined ? {} : { thinkingBudget: budget_tokens };
}

/**
 * The tools of a request, and which of them must be called. Empty for a request without tools. Adds to `ignored` what of
 * the tools was left out.
 */
function encodeTools(
  { tools, tool_choice }: GenerationRequest,
  ignored: string[],
): Pick<SentGenerateContent, "tools" | "toolConfig"> {
  const functions = tools.filter((tool) => tool.kind === "function");
  if (functions.length === 0) return {};
  const config = callingConfig(tool_choice, functions);
  return {
    tools: [{ functionDeclarations: functions.map((tool) => declaration(tool, ignored)) }],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  };
}

function declaration({ name, description, parameters }: FunctionTool, ignored: string[]): FunctionDeclaration {
  const said = { name, ...(description === undefined ? {} : { description }) };
  if (parameters === undefined) return said;
  const { schema, lost } = fitSchema(parameters);
  for (const what of lost) ignored.push(`tools.${what}`);
  return { ...said, parametersJsonSchema: schema };
}

/**
 * The mode of tool calls; null for the API's own default. Forced calls always follow their schemas; optional calls do
 * when `strict`.
 */
function callingConfig(
  choice: ToolChoice | undefined,
  functions: readonly FunctionTool[],
): FunctionCallingConfig | null {
  const free = functions.some(({ strict }) => strict === true) ? "VALIDATED" : "AUTO";
  if (choice === undefined) return free === "AUTO" ? null : { mode: free };
  switch (choice.mode) {
    case "auto":
      return { mode: free };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "named":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
  }
}
