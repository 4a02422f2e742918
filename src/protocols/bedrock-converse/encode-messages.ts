import type {
  AssistantMessage,
  AudioPart,
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  Message,
  Opaque,
  ReasoningPart,
  SystemMessage,
  ToolMessage,
  UserMessage,
  VideoPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { parseArguments } from "../shared/object-arguments.ts";
import { NO_CONTENT } from "../shared/substitute-texts.ts";
import type { FamilyTraits } from "./model-family.ts";
import type { CachePoint, ConverseBlock, ConverseMessage, ConverseSource, ResultBlock, SystemBlock } from "./wire.ts";

const IMAGES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const DOCUMENTS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};

const VIDEOS: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/webm": "webm",
  "video/x-flv": "flv",
  "video/mpeg": "mpeg",
  "video/x-ms-wmv": "wmv",
  "video/3gpp": "three_gp",
};

function encodeImage({ source }: ImagePart): Extract<ResultBlock, { image: unknown }> {
  return { image: { format: formatOf(source, "image", IMAGES), source: encodeSource(source, "image") } };
}

function encodeDocument(
  { source, filename }: DocumentPart,
  names: DocumentNames,
): Extract<ResultBlock, { document: unknown }> {
  const format = formatOf(source, "document", DOCUMENTS);
  return { document: { format, name: names.name(filename), source: encodeSource(source, "document") } };
}

function encodeVideo({ source }: VideoPart): ConverseBlock {
  return { video: { format: formatOf(source, "video", VIDEOS), source: encodeSource(source, "video") } };
}

function encodeAudio({ format, data }: AudioPart): ConverseBlock {
  return { audio: { format, source: { bytes: data } } };
}

/**
 * Base64 bytes, or a place in S3: the API fetches nothing from other places, and this gateway does not either
 * (docs/rulings.md 14).
 */
function encodeSource(source: MediaSource, what: string): ConverseSource {
  if (source.kind === "base64") return { bytes: source.data };
  const place = placeOf(source);
  if (place.startsWith("s3://")) return { s3Location: { uri: place } };
  throw refusal(`'messages' holds the ${what} ${shortened(place)}; allowed for this model: its data in base64.`);
}

/** The format by the media type, or, for a place in S3, by the extension of its name. */
function formatOf(source: MediaSource, what: string, formats: Readonly<Record<string, string>>): string {
  if (source.kind === "base64") {
    const format = formats[source.media_type.toLowerCase()];
    if (format !== undefined) return format;
    const allowed = Object.keys(formats).join(", ");
    throw refusal(`'messages' holds a ${what} of type ${shortened(source.media_type)}; allowed: ${allowed}.`);
  }
  const place = placeOf(source);
  const ending = place.slice(place.lastIndexOf(".") + 1).toLowerCase();
  return (
    Object.values(formats).find((format) => format === ending || (format === "jpeg" && ending === "jpg")) ??
    first(formats)
  );
}

function first(formats: Readonly<Record<string, string>>): string {
  return Object.values(formats)[0] ?? "";
}

function placeOf(source: Exclude<MediaSource, { kind: "base64" }>): string {
  return source.kind === "url" ? source.url : source.file_id;
}

function shortened(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}

function refusal(message: string): GatewayError {
  return new GatewayError("unsupported_parameter", message, { param: "messages" });
}

/** The system prompt: the texts of all system and developer messages, wherever they stand. */
export function encodeSystem(messages: readonly Message[], traits: FamilyTraits): SystemBlock[] {
  const blocks: SystemBlock[] = [];
  for (const { content } of messages.filter((message): message is SystemMessage => message.role === "system")) {
    for (const { text, cache } of content) {
      if (!isBlank(text)) blocks.push({ text });
      pushCachePoint(blocks, cache, traits);
    }
  }
  return blocks;
}

/**
 * The turns, user and assistant in alternation as the API requires: consecutive messages of the user and the tools are
 * one turn, and so are consecutive messages of the assistant. Blank texts are left out because the API refuses them.
 * Before a conversation that begins with the assistant, a user's turn is put (docs/rulings.md 168).
 */
export function encodeMessages(messages: readonly Message[], traits: FamilyTraits): ConverseMessage[] {
  const context: Context = { names: new DocumentNames(), traits };
  const turns: { role: ConverseMessage["role"]; content: ConverseBlock[] }[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const content = last?.role === role ? last.content : [];
    if (message.role === "assistant") encodeAssistant(message, content, traits);
    else if (message.role === "user") encodeUser(message, content, context);
    else encodeResult(message, content, context);
    if (last?.role !== role && content.length > 0) turns.push({ role, content });
  }
  if (turns[0]?.role === "assistant") turns.unshift({ role: "user", content: [{ text: NO_CONTENT }] });
  return withoutTrailingSpace(turns);
}

interface Context {
  readonly names: DocumentNames;
  readonly traits: FamilyTraits;
}

function encodeUser({ content }: UserMessage, blocks: ConverseBlock[], { names, traits }: Context): void {
  for (const part of content) {
    switch (part.type) {
      case "text":
        if (!isBlank(part.text)) blocks.push({ text: part.text });
        break;
      case "image":
        blocks.push(encodeImage(part));
        break;
      case "document":
        blocks.push(encodeDocument(part, names));
        break;
      case "video":
        blocks.push(encodeVideo(part));
        break;
      case "audio":
        blocks.push(encodeAudio(part));
        break;
    }
    if ("cache" in part) pushCachePoint(blocks, part.cache, traits);
  }
}

function encodeAssistant({ content }: AssistantMessage, blocks: ConverseBlock[], traits: FamilyTraits): void {
  for (const part of content) {
    switch (part.type) {
      case "text":
      case "refusal":
        if (!isBlank(part.text)) blocks.push({ text: part.text });
        break;
      case "reasoning":
        for (const block of encodeReasoning(part)) blocks.push(block);
        break;
      case "tool-call":
        blocks.push({
          toolUse: { toolUseId: part.id, name: part.name, input: parseArguments(part.arguments) },
        });
        break;
    }
    if ("cache" in part) pushCachePoint(blocks, part.cache, traits);
  }
}

/** Only signed or encrypted reasoning goes back: some models repeat unsigned reasoning in their answers. */
function encodeReasoning({ text, opaque }: ReasoningPart): ConverseBlock[] {
  if (opaque === undefined) return [];
  if (opaque.form === "signature") return [{ reasoningContent: { reasoningText: { text, signature: opaque.data } } }];
  return isOwnRedaction(opaque) ? [{ reasoningContent: { redactedContent: opaque.data } }] : [];
}

/**
 * Signatures are the same on all platforms of a maker's models; redacted reasoning is packed by the platform itself.
 */
function isOwnRedaction({ family }: Opaque): boolean {
  return family === "bedrock";
}

/** Whether a part of an answer becomes a block of reasoning for the model. */
export function isReplayed(part: AssistantMessage["content"][number] | undefined): boolean {
  return part?.type === "reasoning" && encodeReasoning(part).length > 0;
}

const NO_OUTPUT = "(no output)";

function encodeResult(message: ToolMessage, blocks: ConverseBlock[], { names, traits }: Context): void {
  const content = message.content.flatMap((part): ResultBlock[] => {
    if (part.type === "text") return isBlank(part.text) ? [] : [{ text: part.text }];
    return [part.type === "image" ? encodeImage(part) : encodeDocument(part, names)];
  });
  const marked = message.is_error && traits.result_status ? { status: "error" as const } : {};
  const told = message.is_error && !traits.result_status ? toldAsError(content) : content;
  blocks.push({
    toolResult: {
      toolUseId: message.call_id,
      content: told.length === 0 ? [{ text: NO_OUTPUT }] : told,
      ...marked,
    },
  });
  const inner = message.content.map((part) => part.cache).find((cache) => cache !== undefined);
  pushCachePoint(blocks, message.cache ?? inner, traits);
}

/** The result of a failed call as text that says so, for models that take no error status. */
function toldAsError(content: readonly ResultBlock[]): ResultBlock[] {
  const [first, ...rest] = content;
  if (first === undefined || !("text" in first)) return [{ text: "Error:" }, ...content];
  return /^error\b/i.test(first.text) ? [...content] : [{ text: `Error: ${first.text}` }, ...rest];
}

/**
 * Adds a cache point, which covers the blocks before it; adds none where there are no blocks, or one stands there
 * already.
 */
export function pushCachePoint(
  blocks: (CachePoint | object)[],
  hint: CacheHint | undefined,
  { long_cache }: FamilyTraits,
): void {
  const last = blocks.at(-1);
  if (hint === undefined || last === undefined || "cachePoint" in last) return;
  blocks.push({ cachePoint: { type: "default", ...(long_cache && hint.ttl === "1h" ? { ttl: "1h" } : {}) } });
}

/** The turns without white space at the end of a last assistant turn, which the API refuses there. */
function withoutTrailingSpace(turns: { role: ConverseMessage["role"]; content: ConverseBlock[] }[]): ConverseMessage[] {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (last === undefined || block === undefined || !("text" in block)) return turns;
  const trimmed = { ...last, content: [...last.content.slice(0, -1), { text: block.text.trimEnd() }] };
  return [...turns.slice(0, -1), trimmed];
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

const LONGEST = 180;

/**
 * Gives documents names that the API accepts: letters, digits, single spaces, hyphens, brackets, and no name twice. A
 * file's own name keeps all characters that are allowed, without its extension.
 */
class DocumentNames {
  readonly #given = new Set<string>();
  /** The number that the next document gets of each name that was wanted more than once. */
  readonly #next = new Map<string, number>();

  name(filename: string | undefined): string {
    const stem = (filename ?? "").replace(/\.[A-Za-z0-9]{1,5}$/, "");
    const clean = stem
      .replace(/[^A-Za-z0-9\s()[\]-]/g, "-")
      .replace(/\s+/g, " ")
      .slice(0, LONGEST)
      .trim();
    const wanted = /[A-Za-z0-9]/.test(clean) ? clean : "document";
    let name = wanted;
    let again = this.#next.get(wanted) ?? 2;
    for (; this.#given.has(name); again++) name = `${wanted} (${again})`;
    this.#next.set(wanted, again);
    this.#given.add(name);
    return name;
  }
}
