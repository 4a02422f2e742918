import type { Capabilities } from "../../core/catalog.ts";
import { isRecord, type JsonRecord, parseWithNumberTexts, textIn } from "../configuration/json-source.ts";
import type { ListedModel, ListedPage } from "./listed-model.ts";
import { readListedPrice } from "./read-listed-price.ts";
import { countOf, dayOf, flagOf, textsOf, titleIn } from "./read-members.ts";

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
