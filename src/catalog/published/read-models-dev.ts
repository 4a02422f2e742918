import { type Capabilities, chargesOutput, type ReasoningControls, sidesOf } from "../../core/catalog/catalog.ts";
import { MODELS_DEV_VENDORS } from "../../core/catalog/listed-vendors.ts";
import type { JsonRecord } from "../../core/json.ts";
import { vendorOf } from "../names/model-id.ts";
import { countIn, isRecord, NumberText, objectsIn, textIn, textsIn } from "../reading/json-source.ts";
import { isAskedOf } from "../vendors/asked-in.ts";
import { findVendorRow } from "../vendors/vendors.ts";
import type {
  PublishedCatalog,
  PublishedKind,
  PublishedModel,
  PublishedPrice,
  PublishedVendor,
} from "./published-catalog.ts";
import { classesIn, inputPriceIn, namesIn, type PriceNames } from "./published-price.ts";
import { PublishedReader } from "./published-reader.ts";

const PRICES: PriceNames = {
  input: "input",
  output: "output",
  cache_read: ["cache_read", "cached_input"],
  cache_write: ["cache_write", "cached_write"],
  parts: { input_audio: ["input_audio"], output_audio: ["output_audio"], output_reasoning: ["reasoning"] },
  decimals_to_micro: 6,
};
const CARRIED_PRICES = [...namesIn(PRICES), "tiers", "context_over_200k"];

/** Whether a document has models.dev's published shape: vendors with their models, or one vendor. */
export function isModelsDev(document: unknown): boolean {
  return providersOf(document).length > 0;
}

function providersOf(document: unknown): [string, JsonRecord][] {
  if (!isRecord(document)) return [];
  const id = textIn(document, "id");
  if (id !== null && isRecord(document.models)) return [[id, document]];
  return objectsIn(document).filter(([, provider]) => isRecord(provider.models));
}

/** Reads models.dev's published shape: one object for each vendor, prices per million tokens. */
export function readModelsDev(document: unknown): PublishedCatalog {
  const reader = new PublishedReader();
  for (const [published_id, provider] of providersOf(document)) {
    const id = MODELS_DEV_VENDORS[published_id] ?? published_id;
    const vendor = readProvider(id, provider);
    if (vendor === null) {
      reader.leaveOut(
        id,
        `speaks no protocol that Camino calls (${textIn(provider, "npm") ?? "unknown"}); its models are left out`,
      );
      continue;
    }
    reader.addVendor(vendor);
    for (const [short_name, model] of objectsIn(provider.models)) readModel(reader, `${id}/${short_name}`, model);
  }
  return reader.catalog;
}

/** The address and protocol of a vendor that the vendor table lacks; null when the list does not make them clear. */
function readProvider(id: string, provider: JsonRecord): PublishedVendor | null {
  const api_key_env = textsIn(provider, "env")[0] ?? null;
  if (findVendorRow(id) !== null) return { id, address: null, api_key_env: null };
  const base_url = textIn(provider, "api")?.replace(/\/+$/, "") ?? null;
  const npm = textIn(provider, "npm");
  const protocol =
    npm === "@ai-sdk/anthropic" ? "messages" : npm === "@ai-sdk/openai-compatible" ? "chat-completions" : null;
  if (base_url === null || protocol === null) return null;
  return { id, address: { name: textIn(provider, "name") ?? id, protocol, base_url }, api_key_env };
}

function readModel(reader: PublishedReader, id: string, model: JsonRecord): void {
  const modalities = isRecord(model.modalities) ? model.modalities : {};
  const output_modalities = textsIn(modalities, "output");
  if (textIn(model, "status") === "deprecated") return reader.leaveOut(id, "is deprecated");
  const kind = kindOf(id, textsIn(modalities, "input"), output_modalities);
  if (kind === null) return reader.leaveOut(id, `makes what Camino has no kind of models for: ${output_modalities}`);
  const row = findVendorRow(vendorOf(id));
  if (row !== null && !isAskedOf(row, kind))
    return reader.leaveOut(id, `is a kind of model that is not asked of ${row.id}: ${kind}`);
  const cost = isRecord(model.cost) ? model.cost : {};
  const price = kind === "chat" ? readPrice(cost) : readOtherPrice(cost, kind);
  if (price === null) return reader.leaveOut(id, "has no price");
  if (typeof price === "string") return reader.leaveOut(id, price);
  reader.addModel(describe(id, model, { modalities, price, kind }));
  reader.leavePricesOut(id, extraPrices(cost));
  if (isRecord(model.provider))
    reader.leaveOut(id, "has an address or a protocol of its own, which is not carried over");
}

function describe(
  id: string,
  model: JsonRecord,
  { modalities, price, kind }: { modalities: JsonRecord; price: PublishedPrice; kind: PublishedKind },
): PublishedModel {
  const limit = isRecord(model.limit) ? model.limit : {};
  return {
    id,
    ...(kind !== "chat" && { kind }),
    display_name: textIn(model, "name"),
    created: readDay(textIn(model, "release_date")),
    context_length: countIn(limit, "context"),
    max_completion_tokens: countIn(limit, "output"),
    input_modalities: textsIn(modalities, "input"),
    output_modalities: textsIn(modalities, "output"),
    capabilities: kind === "chat" ? readCapabilities(model) : {},
    price,
  };
}

/**
 * The kind of a model, which models.dev does not state: found by its inputs and outputs, and for text by words in its name, as embedders, rankers
 * and moderators are listed as if they answered in text. Null for a model of no kind that Camino has.
 */
function kindOf(id: string, inputs: readonly string[], outputs: readonly string[]): PublishedKind | null {
  const [, word] = /(?:^|[^a-z])(embed|embeddings?|rerank|reranker|moderation)(?:[^a-z]|$)/i.exec(id) ?? [];
  if (word !== undefined) return /^embed/i.test(word) ? "embedding" : /^rerank/i.test(word) ? "rerank" : "moderation";
  if (outputs.includes("text")) return inputs.length === 1 && inputs[0] === "audio" ? "transcription" : "chat";
  if (outputs.length !== 1) return null;
  return outputs[0] === "image" ? "image" : outputs[0] === "audio" && inputs.includes("text") ? "speech" : null;
}

/** The price of a model that is no chat model. models.dev lists tokens alone: where they cost nothing, something else has the price. */
function readOtherPrice(cost: JsonRecord, kind: PublishedKind): PublishedPrice | string | null {
  const read = chargesOutput(sidesOf(kind)) ? readPrice(cost) : inputPriceIn(cost, PRICES);
  if (read === null || typeof read === "string") return read;
  const is_free = read.input === 0 && read.output === 0;
  return is_free && kind !== "moderation" && kind !== "embedding" ? null : read;
}

/** Reads a date; a month without a day is read as its first day. */
function readDay(date: string | null): string | null {
  if (date === null || !/^\d{4}-\d{2}(-\d{2})?$/.test(date)) return null;
  return date.length === 7 ? `${date}-01` : date;
}

function readPrice(cost: JsonRecord): PublishedPrice | string | null {
  const classes = classesIn(cost, PRICES);
  if (classes === null || typeof classes === "string") return classes;
  const tiers: PublishedPrice["tiers"][number][] = [];
  for (const { above_input_tokens, prices } of tiersOf(cost)) {
    const tier = classesIn(prices, PRICES);
    if (tier === null || typeof tier === "string") return tier ?? "has a tier without prices";
    tiers.push({ above_input_tokens, ...tier });
  }
  return { ...classes, tiers };
}

function tiersOf(cost: JsonRecord): { above_input_tokens: number; prices: JsonRecord }[] {
  if (Array.isArray(cost.tiers)) {
    return cost.tiers.filter(isRecord).flatMap((prices) => {
      const above_input_tokens = isRecord(prices.tier) ? countIn(prices.tier, "size") : null;
      return above_input_tokens === null ? [] : [{ above_input_tokens, prices }];
    });
  }
  const above_200k = cost.context_over_200k;
  return isRecord(above_200k) ? [{ above_input_tokens: 200_000, prices: above_200k }] : [];
}

/**
 * The names of prices that Camino has no class for, unless they equal the price of the class that counts those tokens.
 */
function extraPrices(cost: JsonRecord): string[] {
  const same = (a: unknown, b: unknown) => a instanceof NumberText && b instanceof NumberText && a.text === b.text;
  return Object.keys(cost).filter((key) => {
    if (CARRIED_PRICES.includes(key)) return false;
    return !same(cost[key], key.startsWith("input") ? cost.input : cost.output);
  });
}

function readCapabilities(model: JsonRecord): Partial<Capabilities> {
  const tools = model.tool_call;
  const json = model.structured_output;
  return {
    ...(typeof tools === "boolean" ? { tools } : {}),
    ...(typeof json === "boolean" ? { json } : {}),
    ...(model.reasoning === false && { thinking: false }),
    ...(model.reasoning === true ? { thinking: true, reasoning: readReasoningOptions(model.reasoning_options) } : {}),
  };
}

const LEVELS = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Reads how models.dev describes the controls of a reasoning model: a switch, levels of effort, a budget of tokens. */
function readReasoningOptions(options: unknown): ReasoningControls {
  let controls: ReasoningControls = {};
  for (const option of Array.isArray(options) ? options.filter(isRecord) : []) {
    if (option.type === "toggle") controls = { ...controls, toggle: true };
    if (option.type === "budget_tokens") controls = { ...controls, budget_tokens: readBudget(option) };
    if (option.type === "effort") controls = { ...controls, ...readEffort(textsIn(option, "values")) };
  }
  return controls;
}

/** The effort level `none` turns reasoning off, so it counts as the switch (`toggle`). */
function readEffort(values: readonly string[]): ReasoningControls {
  const effort = values.filter((value) => value !== "none").sort((a, b) => LEVELS.indexOf(a) - LEVELS.indexOf(b));
  return { ...(values.includes("none") ? { toggle: true } : {}), ...(effort.length > 0 ? { effort } : {}) };
}

function readBudget(option: JsonRecord): { min?: number; max?: number } {
  const min = countIn(option, "min");
  const max = countIn(option, "max");
  return { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
}
