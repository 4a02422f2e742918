import type { Capabilities } from "../../core/catalog/catalog.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import type { JsonRecord } from "../../core/json.ts";
import type { PublishedPrice } from "../published/published-catalog.ts";
import { classesIn, microIn, type PriceNames } from "../published/published-price.ts";
import { isRecord, NumberText, parseWithNumberTexts, textIn } from "../reading/json-source.ts";
import type { ListedModel, ListedPage } from "./listed-model.ts";

/**
 * Reads a page of the list of models that a vendor itself publishes. Vendors write one idea in several shapes, and the
 * shapes are recognised by their members, never by the vendor:
 *
 * - OpenAI and everybody compatible: `{ data: [{ id, created }] }`; Together AI sends the array alone.
 * - Anthropic: `{ data: [{ id, display_name, max_input_tokens, … }], has_more, last_id }`, in pages.
 * - Gemini: `{ models: [{ name: "models/…", inputTokenLimit, … }], nextPageToken }`, in pages.
 * - Ollama's own list and System One's: `{ models: [{ name }] }`.
 *
 * Null where the text is no list of models.
 */
export function readVendorList(text: string): ListedPage | null {
  const document = parse(text);
  const entries = entriesOf(document);
  if (entries === null) return null;
  const models = new Map<string, ListedModel>();
  const left_out: string[] = [];
  for (const entry of entries) {
    const model = isRecord(entry) ? readEntry(entry) : null;
    if (model === null) left_out.push("an entry without a name");
    else if (!isSendable(model.upstream_model)) left_out.push(`${shown(model.upstream_model)}: is no name of a model`);
    else if (!models.has(model.upstream_model)) models.set(model.upstream_model, model);
  }
  return { models: [...models.values()], left_out, next: nextOf(document) };
}

function parse(text: string): unknown {
  try {
    return parseWithNumberTexts(text);
  } catch {
    return null;
  }
}

function entriesOf(document: unknown): readonly unknown[] | null {
  if (Array.isArray(document)) return document;
  if (!isRecord(document)) return null;
  for (const list of [document.data, document.models]) if (Array.isArray(list)) return list;
  return null;
}

/** The next page's query. Anthropic's cursor is the last id of the page, Gemini's a token. */
function nextOf(document: unknown): Readonly<Record<string, string>> | null {
  if (!isRecord(document)) return null;
  const token = textIn(document, "nextPageToken");
  if (token !== null) return { pageToken: token };
  const last_id = textIn(document, "last_id");
  return document.has_more === true && last_id !== null ? { after_id: last_id } : null;
}

const LONGEST_NAME = 256;

/**
 * Whether a name can stand in a request and in a configuration: printable characters without spaces at the ends, not
 * endless, and without a `${` in whose place a configuration would put a variable of the environment.
 */
function isSendable(name: string): boolean {
  if (name.length > LONGEST_NAME || name !== name.trim() || name.includes("${")) return false;
  return !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}

function readEntry(entry: JsonRecord): ListedModel | null {
  const named = textIn(entry, "id") ?? textIn(entry, "model") ?? textIn(entry, "name");
  if (named === null) return null;
  const upstream_model = named.replace(/^models\//, "");
  const title = titleIn(entry, ["display_name", "displayName", "name"]);
  const input_modalities = inputsOf(entry);
  return {
    upstream_model,
    display_name: title === named ? null : title,
    created: dayOf(entry.created) ?? dayOf(entry.created_at),
    context_length: contextOf(entry),
    max_completion_tokens: countOf(entry, [
      "max_completion_tokens",
      "max_output_tokens",
      "outputTokenLimit",
      "max_tokens",
      "top_provider.max_completion_tokens",
    ]),
    input_modalities,
    output_modalities: textsOf(entry, ["architecture.output_modalities", "output_modalities"]),
    capabilities: capabilitiesOf(entry),
    is_chat: isChat(entry, upstream_model),
    retires_on: dayOf(entry.deprecation) ?? dayOf(entry.expiration_date),
    price: readListedPrice(entry),
  };
}

/** vLLM says `max_model_len`, llama.cpp `meta.n_ctx`, Groq `context_window`, Mistral `max_context_length`. */
function contextOf(entry: JsonRecord): number | null {
  return countOf(entry, [
    "context_length",
    "max_context_length",
    "context_window",
    "max_model_len",
    "max_input_tokens",
    "inputTokenLimit",
    "meta.n_ctx",
    "top_provider.context_length",
  ]);
}

/** OpenRouter calls documents `file`; Anthropic and Mistral have a flag for each kind of input. */
function inputsOf(entry: JsonRecord): string[] | null {
  const listed = textsOf(entry, ["architecture.input_modalities", "input_modalities"]);
  if (listed !== null) return listed.map((name) => (name === "file" ? "pdf" : name));
  const sees = flagOf(entry, ["capabilities.vision", "capabilities.image_input.supported"]);
  if (sees === null) return null;
  const reads_pdf = flagOf(entry, ["capabilities.pdf_input.supported"]) === true;
  return ["text", ...(sees ? ["image"] : []), ...(reads_pdf ? ["pdf"] : [])];
}

function capabilitiesOf(entry: JsonRecord): Partial<Capabilities> {
  const parameters = textsOf(entry, ["supported_parameters"]);
  const takes = (name: string) => (parameters === null ? null : parameters.includes(name));
  const tools = takes("tools") ?? flagOf(entry, ["capabilities.function_calling"]);
  const json =
    parameters === null
      ? flagOf(entry, ["capabilities.structured_outputs.supported"])
      : parameters.some((name) => name === "structured_outputs" || name === "response_format");
  const thinks =
    takes("reasoning") ?? flagOf(entry, ["thinking", "capabilities.thinking.supported", "capabilities.reasoning"]);
  return {
    ...(tools !== null && { tools }),
    ...(json !== null && { json }),
    ...(thinks === true && { thinking: true, reasoning: {} }),
    ...(thinks === false && { thinking: false }),
  };
}

const GENERATORS = new Set(["chat", "language", "code", "llm", "vlm"]);
const OTHERS = new Set(["embedding", "embeddings", "image", "audio", "video", "rerank", "moderation", "transcribe"]);

/** Whether a model chats: by the list's own field, else by the name, as most lists name embedders and speech models after their kind. */
function isChat(entry: JsonRecord, name: string): boolean | null {
  const methods = textsOf(entry, ["supportedGenerationMethods"]);
  if (methods !== null) return methods.includes("generateContent") && !isOther(name);
  const flag = flagOf(entry, ["capabilities.completion_chat", "capabilities.chat_completion"]);
  if (flag !== null) return flag;
  const outputs = textsOf(entry, ["architecture.output_modalities", "output_modalities"]);
  if (outputs !== null && !outputs.includes("text")) return false;
  const type = textIn(entry, "type") ?? "";
  if (GENERATORS.has(type)) return true;
  return OTHERS.has(type) || isOther(name) ? false : null;
}

function isOther(name: string): boolean {
  return /(^|[^a-z])(embed|embedding|embeddings|rerank|reranker|moderation|whisper|tts|transcribe|dall-e|imagen|veo|sora)([^a-z]|$)/i.test(
    name,
  );
}

/** OpenRouter's names: texts, per token. */
const PER_TOKEN: PriceNames = {
  input: "prompt",
  output: "completion",
  cache_read: ["input_cache_read"],
  cache_write: ["input_cache_write"],
  parts: { input_audio: ["audio"], output_reasoning: ["internal_reasoning"] },
  decimals_to_micro: 12,
};

/** Together AI's names: numbers, per million tokens. */
const PER_MTOK: PriceNames = {
  input: "input",
  output: "output",
  cache_read: ["cached_input"],
  cache_write: [],
  parts: {},
  decimals_to_micro: 6,
};

/** Decimals from currency units per search to micro units per thousand searches: 6 + 3. */
const PER_SEARCH_TO_KCALL = 9;

/**
 * The price in an entry of a vendor's own list, in US dollars; null where the entry has none, or one that cannot be
 * carried over, such as OpenRouter's -1 for a router whose price depends on the model that it chooses.
 */
function readListedPrice(entry: JsonRecord): PublishedPrice | null {
  if (!isRecord(entry.pricing)) return null;
  const pricing = withNumbers(entry.pricing);
  const per_token = "prompt" in pricing;
  const classes = classesIn(pricing, per_token ? PER_TOKEN : PER_MTOK);
  if (classes === null || typeof classes === "string") return null;
  // Together AI writes 0 for models that are charged by the hour, the picture or the second.
  if (!per_token && classes.input === 0 && classes.output === 0) return null;
  const search = per_token ? microIn(pricing, "web_search", PER_SEARCH_TO_KCALL) : null;
  const is_charged = typeof search === "number" && search > 0;
  return { ...withoutFree(classes), tiers: [], ...(is_charged && { calls: { web_search: search } }) };
}

/** Leaves out the cache classes and parts at 0 of a model that is not free: a list writes 0 for a class that it does not price. */
function withoutFree<Classes extends Omit<PublishedPrice, "tiers" | "calls">>(classes: Classes): Classes {
  const priced = (price: number | null) => (price === 0 && classes.input > 0 ? null : price);
  const parts = Object.fromEntries(Object.entries(classes.parts ?? {}).filter(([, price]) => price > 0));
  const { parts: _all, ...rest } = classes;
  return {
    ...rest,
    cache_read: priced(classes.cache_read),
    cache_write: priced(classes.cache_write),
    ...(Object.keys(parts).length > 0 && { parts }),
  } as Classes;
}

/** The record with its numeric texts as numbers, digit by digit. */
function withNumbers(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === "string" ? new NumberText(value) : value]),
  );
}

/** Readers of single members of a vendor's list. A path with a dot leads into an object: `top_provider.context_length`. */

function memberAt(record: JsonRecord, path: string): unknown {
  let found: unknown = record;
  for (const name of path.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

const LONGEST_TEXT = 200;

/**
 * The first of the members that is a text, in one line and cut at 200 characters. A text with `${` is left out: a
 * configuration would put a variable of the environment in its place, and a vendor's list must not choose which.
 */
function titleIn(record: JsonRecord, names: readonly string[]): string | null {
  for (const name of names) {
    const found = record[name];
    if (typeof found !== "string" || found.includes("${")) continue;
    const text = found.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
    if (text !== "") return text.slice(0, LONGEST_TEXT).toWellFormed();
  }
  return null;
}

/** The first of the members that is a whole number above 0: lists write 0 for what they do not know. */
function countOf(record: JsonRecord, paths: readonly string[]): number | null {
  for (const path of paths) {
    const found = memberAt(record, path);
    const count = found instanceof NumberText ? Number(found.text) : Number.NaN;
    if (Number.isSafeInteger(count) && count > 0) return count;
  }
  return null;
}

function flagOf(record: JsonRecord, paths: readonly string[]): boolean | null {
  for (const path of paths) {
    const found = memberAt(record, path);
    if (typeof found === "boolean") return found;
  }
  return null;
}

const MOST_TEXTS = 64;

/** The first of the members that is a list of texts: short words such as `text` and `tools`. */
function textsOf(record: JsonRecord, paths: readonly string[]): string[] | null {
  for (const path of paths) {
    const found = memberAt(record, path);
    if (!Array.isArray(found)) continue;
    const words = found.filter(
      (item): item is string => typeof item === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(item),
    );
    if (words.length > 0) return [...new Set(words.slice(0, MOST_TEXTS))];
  }
  return null;
}

/** A day of a Unix time in seconds or of a date's text, `2026-09-01`; null for the epoch, which stands for unknown. */
function dayOf(value: unknown): string | null {
  const time_ms =
    value instanceof NumberText
      ? Number(value.text) * 1000
      : typeof value === "string"
        ? Date.parse(value)
        : Number.NaN;
  if (!Number.isFinite(time_ms) || time_ms < MS_PER_DAY || time_ms > Date.UTC(2200, 0)) return null;
  return new Date(time_ms).toISOString().slice(0, 10);
}
