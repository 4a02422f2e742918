import { type Capabilities, chargesOutput, sidesOf } from "../../core/catalog/catalog.ts";
import { LITELLM_VENDORS } from "../../core/catalog/listed-vendors.ts";
import type { JsonRecord } from "../../core/json.ts";
import type { UnitPrice } from "../../core/money/price-classes.ts";
import { countIn, isRecord, NumberText, objectsIn, textIn, textsIn } from "../reading/json-source.ts";
import { isAskedOf } from "../vendors/asked-in.ts";
import { findVendorRow } from "../vendors/vendors.ts";
import { type PublishedCatalog, type PublishedKind, type PublishedPrice, priceOfUnits } from "./published-catalog.ts";
import { classesIn, inputPriceIn, microIn, namesIn, type PriceNames } from "./published-price.ts";
import { PublishedReader } from "./published-reader.ts";

/** Entries of the list that are not models. */
const NOTES = new Set(["sample_spec", "fallback_generalizations"]);

const PER_TOKEN = 12;
const PRICES: PriceNames = {
  input: "input_cost_per_token",
  output: "output_cost_per_token",
  cache_read: ["cache_read_input_token_cost", "input_cost_per_token_cache_hit"],
  cache_write: ["cache_creation_input_token_cost"],
  parts: {
    cache_write_1h: ["cache_creation_input_token_cost_above_1hr"],
    input_audio: ["input_cost_per_audio_token"],
    input_image: ["input_cost_per_image_token"],
    input_video: ["input_cost_per_video_token"],
    cache_read_audio: ["cache_read_input_audio_token_cost", "cache_read_input_token_cost_per_audio_token"],
    output_audio: ["output_cost_per_audio_token"],
    output_image: ["output_cost_per_image_token"],
    output_reasoning: ["output_cost_per_reasoning_token"],
  },
  decimals_to_micro: PER_TOKEN,
};
const TIER = /^(.+)_above_(\d+)k_tokens$/;

/** Whether a document looks like LiteLLM's list of prices and context windows. */
export function isLiteLlm(document: unknown): boolean {
  return objectsIn(document).some(([, entry]) => textIn(entry, "litellm_provider") !== null);
}

/** Reads LiteLLM's published shape: one object for each model, prices per token. */
export function readLiteLlm(document: unknown): PublishedCatalog {
  const reader = new PublishedReader();
  for (const [name, entry] of objectsIn(document)) {
    if (!NOTES.has(name)) readEntry(reader, name, entry);
  }
  return reader.catalog;
}

function readEntry(reader: PublishedReader, name: string, entry: JsonRecord): void {
  const provider = textIn(entry, "litellm_provider") ?? "";
  const vendor = LITELLM_VENDORS[provider] ?? provider;
  const row = findVendorRow(vendor);
  if (row === null) return reader.leaveOut(name, `has a vendor that Camino does not know: ${provider}`);
  const id = `${vendor}/${name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name}`;
  const mode = textIn(entry, "mode") ?? "unknown";
  const kind = MODES[mode];
  if (kind === undefined) return reader.leaveOut(name, `is of a kind that Camino does not call: ${mode}`);
  if (!isAskedOf(row, kind)) return reader.leaveOut(name, `is a kind of model that is not asked of ${vendor}: ${kind}`);
  if (SIZED.test(name)) return reader.leaveOut(name, "is a size of a model");
  const price = kind === "chat" ? readPrice(entry) : readOtherPrice(entry, kind);
  if (price === null) return reader.leaveOut(name, "has no price");
  if (typeof price === "string") return reader.leaveOut(name, price);
  reader.addVendor({ id: vendor, address: null, api_key_env: null });
  reader.addModel({
    id,
    ...(kind !== "chat" && { kind }),
    display_name: null,
    created: null,
    context_length: countIn(entry, "max_input_tokens"),
    max_completion_tokens: countIn(entry, "max_output_tokens"),
    input_modalities: kind === "transcription" ? ["audio"] : readInputs(entry),
    output_modalities:
      textsIn(entry, "supported_output_modalities").length > 0
        ? textsIn(entry, "supported_output_modalities")
        : ["text"],
    capabilities: kind === "chat" ? readCapabilities(entry) : {},
    price,
  });
  const by_unit = price.units === undefined ? [] : (UNITS[kind] ?? []).map((listed) => listed.name);
  reader.leavePricesOut(
    name,
    extraPrices(entry).filter((each) => !by_unit.includes(each)),
  );
}

/** The kinds of models by LiteLLM's names. */
const MODES: Readonly<Record<string, PublishedKind>> = {
  chat: "chat",
  responses: "chat",
  embedding: "embedding",
  rerank: "rerank",
  moderation: "moderation",
  image_generation: "image",
  audio_speech: "speech",
  audio_transcription: "transcription",
};

/** Prices of images of one size are entries of their own there: `hd/1024-x-1024/dall-e-3`. */
const SIZED = /(^|\/)\d+-x-\d+\//;

/**
 * Where an entry may have the price of a kind that is charged by a unit; the first one counts. `decimals` leads from the list's price of one to
 * micro units of ours, `times` where ours is for more than a power of ten: sound is listed by the second, and charged by the minute.
 */
const UNITS: Partial<Record<PublishedKind, readonly ListedUnit[]>> = {
  speech: [{ unit: "input_characters", name: "input_cost_per_character", decimals: 12 }],
  transcription: [
    { unit: "input_minutes", name: "input_cost_per_second", decimals: 6, times: 60 },
    { unit: "input_minutes", name: "output_cost_per_second", decimals: 6, times: 60 },
  ],
  image: [
    { unit: "images", name: "output_cost_per_image", decimals: 6 },
    { unit: "images", name: "input_cost_per_image", decimals: 6 },
  ],
  rerank: [{ unit: "searches", name: "input_cost_per_query", decimals: 9 }],
};

interface ListedUnit {
  readonly unit: UnitPrice;
  readonly name: string;
  readonly decimals: number;
  readonly times?: number;
}

/** Extra decimals with which a price of a second is read, so that its product with 60 is exact. */
const FINER = 6;

/** The price of a model that is no chat model: by tokens where the list has such a price, else by its kind's unit. A kind of input alone has no other. */
function readOtherPrice(entry: JsonRecord, kind: PublishedKind): PublishedPrice | string | null {
  const read = chargesOutput(sidesOf(kind)) ? readPrice(entry) : inputPriceIn(entry, PRICES);
  if (typeof read === "string") return read;
  if (read !== null && (read.input > 0 || read.output > 0 || read.parts !== undefined)) return read;
  for (const { unit, name, decimals, times = 1 } of UNITS[kind] ?? []) {
    const finer = microIn(entry, name, decimals + FINER);
    if (typeof finer === "string") return finer;
    if (finer !== null && finer > 0) return priceOfUnits({ [unit]: Math.round((finer * times) / 10 ** FINER) });
  }
  // Moderations are free; for all others nothing is no price.
  return kind === "moderation" || kind === "embedding" ? read : null;
}

function readPrice(entry: JsonRecord): PublishedPrice | string | null {
  const classes = classesIn(entry, PRICES);
  if (classes === null || typeof classes === "string") return classes;
  const tiers: PublishedPrice["tiers"][number][] = [];
  for (const thousands of thresholdsOf(entry)) {
    const named = (key: string) => `${key}_above_${thousands}k_tokens`;
    const tier = classesIn(withFallback(entry, named(PRICES.output), PRICES.output), {
      input: named(PRICES.input),
      output: named(PRICES.output),
      cache_read: PRICES.cache_read.map(named),
      cache_write: PRICES.cache_write.map(named),
      parts: Object.fromEntries(Object.entries(PRICES.parts).map(([part, keys]) => [part, keys.map(named)])),
      decimals_to_micro: PER_TOKEN,
    });
    if (typeof tier === "string") return tier;
    if (tier !== null) tiers.push({ above_input_tokens: thousands * 1000, ...tier });
  }
  const web_search = searchPrice(entry);
  return { ...classes, tiers, ...(web_search !== null && { calls: { web_search } }) };
}

/**
 * The price of a search. LiteLLM lists it per query for each context size; it is carried over when all sizes cost
 * alike.
 */
function searchPrice(entry: JsonRecord): number | null {
  const by_size = entry[SEARCHES];
  if (!isRecord(by_size)) return null;
  const prices = new Set(Object.keys(by_size).map((size) => microIn(by_size, size, MICRO_PER_QUERY_TO_KCALL)));
  const [price] = prices;
  return prices.size === 1 && typeof price === "number" ? price : null;
}

const SEARCHES = "search_context_cost_per_query";
/** Decimals from currency units per query to micro units per thousand queries: 6 + 3. */
const MICRO_PER_QUERY_TO_KCALL = 9;

/** A tier's record with the model's own price for a class that the tier does not price. */
function withFallback(entry: JsonRecord, key: string, fallback: string): JsonRecord {
  return key in entry ? entry : { ...entry, [key]: entry[fallback] };
}

function thresholdsOf(entry: JsonRecord): number[] {
  const thousands = Object.keys(entry).flatMap((key) => {
    const match = TIER.exec(key);
    return match?.[1] === PRICES.input ? [Number(match[2])] : [];
  });
  return thousands.sort((a, b) => a - b);
}

const CARRIED_PRICES = new Set(namesIn(PRICES));

/** The names of prices above zero that are left out: service tiers, batches, prices by the picture or the second. */
function extraPrices(entry: JsonRecord): string[] {
  const thresholds = thresholdsOf(entry);
  return Object.entries(entry).flatMap(([key, value]) => {
    const tier = TIER.exec(key);
    const carried =
      tier === null
        ? CARRIED_PRICES.has(key) || (key === SEARCHES && searchPrice(entry) !== null)
        : CARRIED_PRICES.has(tier[1] ?? "") && thresholds.includes(Number(tier[2]));
    const is_price = key.includes("cost") && !(value instanceof NumberText && Number(value.text) === 0);
    return is_price && !carried ? [key] : [];
  });
}

function readInputs(entry: JsonRecord): string[] {
  const stated = textsIn(entry, "supported_modalities");
  const inputs = new Set(stated.length > 0 ? stated : ["text"]);
  if (entry.supports_vision === true) inputs.add("image");
  if (entry.supports_pdf_input === true) inputs.add("pdf");
  if (entry.supports_audio_input === true) inputs.add("audio");
  if (entry.supports_video_input === true) inputs.add("video");
  return [...inputs];
}

/**
 * An absent flag means false in LiteLLM's list, but for reasoning: of that, an absent flag says nothing (docs/rulings.md 170). The list does
 * not say which controls a reasoning model has.
 */
function readCapabilities(entry: JsonRecord): Partial<Capabilities> {
  return {
    tools: entry.supports_function_calling === true,
    json: entry.supports_response_schema === true,
    ...(entry.supports_reasoning === true ? { thinking: true, reasoning: {} } : {}),
    ...(entry.supports_reasoning === false && { thinking: false }),
  };
}
