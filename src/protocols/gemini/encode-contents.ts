import type {
  AssistantMessage,
  AssistantPart,
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  Message,
  ToolCallPart,
  ToolMessage,
  UserMessage,
  VideoPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { callSignatures, googleSignature } from "../shared/google-models.ts";
import { parseArguments } from "../shared/object-arguments.ts";
import { NO_CONTENT } from "../shared/substitute-texts.ts";
import type { GeminiContent, GeminiPart } from "./wire-request.ts";

/** Media types by file name extension, for URLs, which carry no media type. */
const BY_ENDING: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  heic: "image/heic",
  heif: "image/heif",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  xml: "text/xml",
  json: "application/json",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  mpeg: "video/mpeg",
  mpg: "video/mpeg",
  avi: "video/x-msvideo",
  wmv: "video/x-ms-wmv",
};

/** The media type of each kind of part where its URL has no known extension: Vertex AI requires a media type. */
const USUAL = { image: "image/jpeg", video: "video/mp4", document: "application/pdf" } as const;

/** An image, a video or a document; URLs go to the vendor unchanged (docs/rulings.md 14). */
function encodeMedia(part: ImagePart | VideoPart | DocumentPart): GeminiPart {
  const { source, type } = part;
  switch (source.kind) {
    case "base64":
      return { inlineData: { mimeType: source.media_type, data: source.data } };
    case "url":
      return { fileData: { fileUri: source.url, mimeType: mediaTypeOf(source.url) ?? USUAL[type] } };
    case "file-id":
      return { fileData: { fileUri: googleFile(source, type) } };
  }
}

/**
 * The URI of a file id of Google's, as its file service and its cloud storage name files. Throws for any other file id.
 */
function googleFile(source: Extract<MediaSource, { kind: "file-id" }>, type: string): string {
  if (/^(https|gs):\/\//.test(source.file_id)) return source.file_id;
  throw new GatewayError(
    "unsupported_parameter",
    `The ${type} in 'messages' is a file id of another vendor; allowed for this model: its data, or a URL.`,
    { param: "messages" },
  );
}

/** Audio, with a media type made from style A's format name. */
function encodeAudio({ format, data }: AudioPart): GeminiPart {
  return { inlineData: { mimeType: format.includes("/") ? format : `audio/${format}`, data } };
}

function mediaTypeOf(url: string): string | undefined {
  const path = URL.parse(url)?.pathname ?? "";
  return BY_ENDING[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}

/** A conversation in Gemini's shape. */
export interface GeminiConversation {
  readonly contents: GeminiContent[];
  readonly system: GeminiPart[];
}

/**
 * Encodes messages as contents. System and developer messages go into the only system instruction; consecutive
 * assistant messages are one turn of the model, consecutive tool results the one answer to its calls. A model's turn
 * never comes first, because the API refuses that (docs/rulings.md 168).
 */
export function encodeConversation(messages: readonly Message[], dialect: ContentDialect): GeminiConversation {
  const system: GeminiPart[] = [];
  const turns: ContentTurn[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "system") addTexts(system, message.content);
    else addTurn(turns, message.role, encodeMessage(message, names, dialect));
  }
  if (turns[0]?.of === "assistant") turns.unshift({ of: "user", parts: texts([NO_CONTENT]) });
  const contents = turns.map(({ of, parts }) => ({ role: of === "assistant" ? "model" : "user", parts }) as const);
  // The API requires a turn, so instructions without any message become the user's text.
  return contents.length === 0 && system.length > 0
    ? { contents: [{ role: "user", parts: system }], system: [] }
    : { contents, system };
}

interface ContentTurn {
  readonly of: Exclude<Message["role"], "system">;
  readonly parts: GeminiPart[];
}

function addTurn(turns: ContentTurn[], of: ContentTurn["of"], parts: GeminiPart[]): void {
  if (parts.length === 0) return;
  const last = turns.at(-1);
  if (last === undefined || last.of !== of || of === "user") turns.push({ of, parts: [...parts] });
  else for (const part of parts) last.parts.push(part);
}

function encodeMessage(
  message: UserMessage | AssistantMessage | ToolMessage,
  names: Map<string, string>,
  dialect: ContentDialect,
): GeminiPart[] {
  switch (message.role) {
    case "user":
      return encodeUser(message);
    case "assistant":
      return encodeAssistant(message, names, dialect);
    case "tool":
      return encodeToolResult(message, names.get(message.call_id) ?? message.call_id, dialect);
  }
}

function encodeUser({ content }: UserMessage): GeminiPart[] {
  return content.flatMap((part) => {
    if (part.type === "text") return texts([part.text]);
    return [part.type === "audio" ? encodeAudio(part) : encodeMedia(part)];
  });
}

function addTexts(parts: GeminiPart[], said: readonly { readonly text: string }[]): void {
  for (const part of texts(said.map(({ text }) => text))) parts.push(part);
}

/** The texts as parts, without empty texts, which the API refuses. */
function texts(all: readonly string[]): GeminiPart[] {
  return all.filter((text) => text !== "").map((text) => ({ text }));
}

function encodeAssistant(
  { content }: AssistantMessage,
  names: Map<string, string>,
  dialect: ContentDialect,
): GeminiPart[] {
  const calls = content.filter((part) => part.type === "tool-call");
  const signatures = callSignatures(calls, dialect.is_gemini_3);
  const parts: GeminiPart[] = [];
  let nth = 0;
  for (const part of content) {
    if (part.type !== "tool-call") {
      for (const said of encodeSaid(part)) parts.push(said);
      continue;
    }
    names.set(part.id, part.name);
    parts.push(encodeCall(part, signatures[nth] ?? null, dialect));
    nth += 1;
  }
  return parts;
}

function encodeCall(part: ToolCallPart, signature: string | null, { call_ids }: ContentDialect): GeminiPart {
  const id = call_ids ? { id: part.id } : {};
  return {
    functionCall: { ...id, name: part.name, args: parseArguments(part.arguments) },
    ...(signature === null ? {} : { thoughtSignature: signature }),
  };
}

/**
 * Text, refusal or reasoning of a turn. Unsigned summaries of thoughts do not help the model and are left out. A Google
 * signature goes back byte for byte, on a part with the text that it came with.
 */
function encodeSaid(part: Exclude<AssistantPart, ToolCallPart>): GeminiPart[] {
  const signature = part.type === "refusal" ? null : googleSignature(part.opaque);
  if (signature === null) return part.type === "reasoning" ? [] : texts([part.text]);
  const thought = part.type === "reasoning" && part.text !== "" ? { thought: true as const } : {};
  return [{ text: part.text, ...thought, thoughtSignature: signature }];
}

/**
 * One tool's result. Its images and documents go inside it where the model supports that and their bytes are in the
 * request, else beside it.
 */
function encodeToolResult(message: ToolMessage, name: string, { call_ids, is_gemini_3 }: ContentDialect): GeminiPart[] {
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const media = message.content.filter((part) => part.type !== "text");
  const inside = is_gemini_3 ? media.filter(isInline) : [];
  const beside = is_gemini_3 ? media.filter((part) => !isInline(part)) : media;
  const result: GeminiPart = {
    functionResponse: {
      ...(call_ids ? { id: message.call_id } : {}),
      name,
      response: { [message.is_error ? "error" : "output"]: text },
      ...(inside.length > 0 ? { parts: inside.flatMap(inlinePart) } : {}),
    },
  };
  return [result, ...beside.map(encodeMedia)];
}

function isInline({ source }: ImagePart | DocumentPart): boolean {
  return source.kind === "base64";
}

function inlinePart(part: ImagePart | DocumentPart) {
  const { inlineData } = encodeMedia(part);
  return inlineData === undefined ? [] : [{ inlineData }];
}

/** The properties of a target that decide how messages are written. */
interface ContentDialect {
  /** False on Vertex AI, which refuses ids of calls and matches results by their order. */
  readonly call_ids: boolean;
  /** Whether the model requires signatures, and accepts media inside tool results. */
  readonly is_gemini_3: boolean;
}
