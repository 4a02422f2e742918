import type { ClientRequest } from "../../core/answer/exchange.ts";
import type {
  FunctionTool,
  GenerationRequest,
  HostedTool,
  OutputFormat,
  ReasoningSetting,
  SystemMessage,
  Tool,
  ToolChoice,
} from "../../core/answer/generation.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { mayLoseDigits, parseExactUnder } from "../shared/exact-json.ts";
import { membersBeyond } from "../shared/tool-lists.ts";
import { hostedIn } from "./charge-table.ts";
import { decodeContents } from "./decode-contents.ts";
import type { FunctionDeclaration, GeminiConfig, GeminiThinking, GenerateContentRequest } from "./wire-request.ts";

/**
 * Decodes a request into its neutral form (docs/api.md 4.14). The body was checked when it arrived. Throws a GatewayError for what only a
 * vendor of Gemini can honour.
 */
export function decodeRequest({ body: checked, text, model, stream, output_cap }: ClientRequest): GenerationRequest {
  const body = exactBody(text, checked) as GenerateContentRequest;
  const config = body.generationConfig ?? {};
  refuseDemands(body, config);
  const { messages, left_out } = decodeContents(body.contents);
  const format = decodeFormat(config);
  const reasoning = decodeReasoning(config.thinkingConfig);
  return {
    model,
    stream,
    messages: [...decodeSystem(body), ...messages],
    ...decodeTools(body),
    ...(output_cap !== null && { max_output_tokens: output_cap }),
    ...settingsOf(config),
    ...(format && { format }),
    ...(reasoning && { reasoning }),
    ...tierOf(body.serviceTier),
    include_usage: true,
    extras: extrasOf(body, config, left_out),
  };
}

const ARGUMENTS: ReadonlySet<string> = new Set(["args", "response"]);

/** The arguments and results of calls keep the digits of their numbers (docs/rulings.md 193). */
function exactBody(text: string, body: ClientRequest["body"]): unknown {
  return mayLoseDigits(text) ? parseExactUnder(ARGUMENTS, text) : body;
}

/** Refuses demands without which the answer would be another one; other settings are only left out (docs/rulings.md 190). */
function refuseDemands({ cachedContent }: GenerateContentRequest, { responseModalities }: GeminiConfig): void {
  if ((cachedContent ?? "") !== "") throw onlyInGemini("cachedContent", "names a cache that a vendor keeps");
  const other = responseModalities?.find((modality) => !/^(text|modality_unspecified)$/i.test(modality));
  if (other !== undefined)
    throw onlyInGemini("generationConfig.responseModalities", `asks for ${JSON.stringify(other.slice(0, 64))}`);
}

function onlyInGemini(place: string, what: string): GatewayError {
  const message = `'${place}' ${what}, which this model cannot honour: it is not reached by Gemini's API.`;
  return invalidRequest(message, place);
}

function decodeSystem({ systemInstruction }: GenerateContentRequest): SystemMessage[] {
  const texts = (systemInstruction?.parts ?? []).flatMap(({ text }) => (text ? [text] : []));
  if (texts.length === 0) return [];
  return [{ role: "system", authority: "system", content: texts.map((text) => ({ type: "text", text })) }];
}

function settingsOf(config: GeminiConfig): Partial<GenerationRequest> {
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, seed, stopSequences } = config;
  return {
    ...(isSaid(temperature) && { temperature }),
    ...(isSaid(topP) && { top_p: topP }),
    ...(isSaid(topK) && { top_k: topK }),
    ...(isSaid(presencePenalty) && { presence_penalty: presencePenalty }),
    ...(isSaid(frequencyPenalty) && { frequency_penalty: frequencyPenalty }),
    ...(isSaid(seed) && { seed }),
    ...(stopSequences?.length && { stop: stopSequences }),
    ...(config.responseLogprobs === true && { logprobs: { top: config.logprobs ?? 0 } }),
  };
}

function isSaid<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function tierOf(tier: string | null | undefined): { readonly service_tier?: string } {
  if (!tier || tier === "unspecified") return {};
  return { service_tier: tier === "standard" ? "default" : tier };
}

function decodeTools({ tools, toolConfig }: GenerateContentRequest): Pick<GenerationRequest, "tools" | "tool_choice"> {
  const calling = toolConfig?.functionCallingConfig;
  const allowed = calling?.allowedFunctionNames?.length ? new Set(calling.allowedFunctionNames) : null;
  const declared = (tools ?? []).flatMap((tool): Tool[] => [
    ...(tool.functionDeclarations ?? [])
      .map((declaration) => decodeFunction(declaration, calling?.mode === "VALIDATED"))
      .filter(({ name }) => allowed === null || allowed.has(name)),
    ...hostedIn(tool).map((name) => hostedTool(name, tool)),
  ]);
  const choice = choiceOf(calling?.mode ?? "AUTO", allowed);
  return { tools: declared, ...(choice && { tool_choice: choice }) };
}

function decodeFunction({ name, description, ...more }: FunctionDeclaration, is_validated: boolean): FunctionTool {
  const { parameters, parametersJsonSchema } = more;
  const schema = parametersJsonSchema ?? (parameters ? jsonSchemaOf(parameters as JsonRecord) : undefined);
  return {
    kind: "function",
    name,
    ...(description && { description }),
    ...(schema && { parameters: schema as JsonRecord }),
    ...(is_validated && { strict: true }),
  };
}

function hostedTool(type: string, tool: JsonRecord): HostedTool {
  return { kind: "hosted", name: type, type, raw: { [type]: tool[type] } };
}

function choiceOf(mode: string, allowed: ReadonlySet<string> | null): ToolChoice | undefined {
  if (mode === "NONE") return { mode: "none" };
  if (mode !== "ANY") return undefined;
  const [only] = allowed ?? [];
  return allowed?.size === 1 && only !== undefined ? { mode: "named", name: only } : { mode: "required" };
}

/** A format is asked for by its media type; the schema may be of Google's dialect or JSON Schema. */
function decodeFormat(config: GeminiConfig): OutputFormat | undefined {
  const { responseMimeType = null, responseSchema, responseJsonSchema } = config;
  if (responseMimeType === null || responseMimeType === "" || responseMimeType === "text/plain") return undefined;
  const own = responseSchema ? jsonSchemaOf(responseSchema as JsonRecord) : undefined;
  const schema = (responseJsonSchema as JsonRecord | null | undefined) ?? own;
  if (responseMimeType === "text/x.enum" && schema !== undefined)
    throw onlyInGemini("generationConfig.responseMimeType", "asks for one of the values of a list as plain text");
  if (responseMimeType !== "application/json")
    throw onlyInGemini("generationConfig.responseMimeType", `is ${JSON.stringify(responseMimeType.slice(0, 64))}`);
  return schema === undefined ? { type: "json-object" } : { type: "json-schema", name: "answer", schema };
}

/** The setting of `thinkingConfig` (docs/rulings.md 12); the answer shows thoughts only where they are asked for. */
export function decodeReasoning(config: GeminiThinking | null | undefined): ReasoningSetting | undefined {
  const { includeThoughts, thinkingBudget, thinkingLevel } = config ?? {};
  if (thinkingBudget === 0) return { enabled: false };
  const level =
    thinkingLevel && thinkingLevel !== "THINKING_LEVEL_UNSPECIFIED" ? thinkingLevel.toLowerCase() : undefined;
  const shows = includeThoughts === true;
  if (!shows && level === undefined && !isSaid(thinkingBudget)) return undefined;
  return {
    ...((thinkingBudget === -1 || (shows && level === undefined && !isSaid(thinkingBudget))) && { enabled: true }),
    ...(level !== undefined && { effort: level }),
    ...(isSaid(thinkingBudget) && thinkingBudget > 0 && { budget_tokens: thinkingBudget }),
    show: shows ? "auto" : "none",
    // Clients of this style keep signatures, and send them back.
    want_opaque: true,
  };
}

const READ: ReadonlySet<string> = new Set([
  ...["@address", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "cachedContent"],
  // The model is in the address, and labels are for the bill of Google's own customers.
  ...["serviceTier", "model", "labels"],
]);
const READ_SETTINGS: ReadonlySet<string> = new Set([
  ...[
    "maxOutputTokens",
    "candidateCount",
    "temperature",
    "topP",
    "topK",
    "presencePenalty",
    "frequencyPenalty",
    "seed",
  ],
  ...["stopSequences", "responseLogprobs", "logprobs", "responseMimeType", "responseSchema", "responseJsonSchema"],
  ...["responseModalities", "thinkingConfig"],
]);

const READ_FUNCTION: ReadonlySet<string> = new Set(["name", "description", "parameters", "parametersJsonSchema"]);

function extrasOf(body: JsonRecord, config: JsonRecord, left_out: ReadonlySet<string>): JsonRecord {
  const extras: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) if (!READ.has(name) && isAsked(value)) extras[name] = value;
  for (const [name, value] of Object.entries(config))
    if (!READ_SETTINGS.has(name) && isAsked(value)) extras[`generationConfig.${name}`] = value;
  const { toolConfig, tools } = body;
  for (const [name, value] of Object.entries(isObject(toolConfig) ? toolConfig : {}))
    if (name !== "functionCallingConfig" && isAsked(value)) extras[`toolConfig.${name}`] = value;
  for (const { functionDeclarations } of (tools ?? []) as NonNullable<GenerateContentRequest["tools"]>)
    for (const declared of functionDeclarations ?? [])
      for (const name of membersBeyond(declared, READ_FUNCTION)) extras[`tools.${name}`] = true;
  for (const name of left_out) extras[name] = true;
  return extras;
}

function isAsked(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/**
 * A schema of Google's own dialect (`parameters`, `responseSchema`) as JSON Schema: types in capitals, `nullable`, bounds that are texts,
 * as all 64-bit numbers are in this API, and an order of members that only its own models heed.
 */
function jsonSchemaOf(schema: JsonRecord): JsonRecord {
  const written: [string, unknown][] = [];
  for (const [sent, value] of Object.entries(schema)) {
    if (value === null || value === undefined) continue;
    const keyword = KEYWORDS[sent] ?? sent;
    const read = READERS[keyword];
    if (read !== undefined) {
      const found = read(value);
      if (found !== undefined) written.push([keyword, found]);
    } else if (!LEFT_OUT.has(keyword)) written.push([keyword, value]);
  }
  return nullable(Object.fromEntries(written), schema.nullable === true);
}

const KEYWORDS: Readonly<Record<string, string>> = {
  any_of: "anyOf",
  min_items: "minItems",
  max_items: "maxItems",
  min_length: "minLength",
  max_length: "maxLength",
  min_properties: "minProperties",
  max_properties: "maxProperties",
  property_ordering: "propertyOrdering",
  additional_properties: "additionalProperties",
};
const LEFT_OUT: ReadonlySet<string> = new Set(["nullable", "propertyOrdering", "example"]);

const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  type: typeOf,
  properties: (value) => (isObject(value) ? mapped(value) : value),
  items: within,
  additionalProperties: within,
  anyOf: (value) => (Array.isArray(value) ? value.map(within) : value),
  // Texts of a closed list have their values in `enum`.
  format: (value) => (value === "enum" ? undefined : value),
  minItems: count,
  maxItems: count,
  minLength: count,
  maxLength: count,
  minProperties: count,
  maxProperties: count,
};

function typeOf(type: unknown): unknown {
  if (typeof type === "string") return type === "TYPE_UNSPECIFIED" ? undefined : type.toLowerCase();
  return Array.isArray(type) ? type.map(typeOf) : type;
}

function within(value: unknown): unknown {
  return isObject(value) ? jsonSchemaOf(value) : value;
}

function mapped(properties: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, within(value)]));
}

function count(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function nullable(schema: JsonRecord, is_nullable: boolean): JsonRecord {
  if (!is_nullable) return schema;
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  const closed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, type: [type, "null"], ...closed };
}
