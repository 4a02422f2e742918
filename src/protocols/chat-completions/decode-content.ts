import type {
  CacheHint,
  DocumentPart,
  ImagePart,
  TextPart,
  UserPart,
  VideoPart,
} from "../../core/answer/generation.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { sourceOfUrl } from "../shared/data-url.ts";

/** The content of a chat message: a string, or an array of blocks. The blocks are checked before they get here. */
export type ChatContent = string | readonly JsonRecord[] | null | undefined;

/** The error for content that only a vendor of chat completions can honour. */
export function onlyInChat(place: string, what: string, code: ErrorCode = "invalid_messages"): GatewayError {
  const message = `'${place}' is ${what}, which this model cannot take: it is not reached by chat completions.`;
  return new GatewayError(code, message, { param: place });
}

/** The parts of a user's or a tool's message. An empty string gives no part. */
export function decodeUserParts(content: ChatContent, place: string): UserPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content ?? []).map((block, index) => decodeBlock(block, `${place}[${index}]`));
}

/** The parts of a message that may only hold text. */
export function decodeTextParts(content: ChatContent, place: string): TextPart[] {
  return decodeUserParts(content, place).map((part, index) => {
    if (part.type !== "text") throw notText(`${place}[${index}]`, part.type);
    return part;
  });
}

function notText(place: string, type: string): GatewayError {
  const message = `'${place}' is of the type ${JSON.stringify(type)}; allowed in a message of this role: text.`;
  return new GatewayError("invalid_messages", message, { param: place });
}

function decodeBlock(block: JsonRecord, place: string): UserPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: plainText(block.text), ...cacheOf(block) };
    case "image_url":
      return decodeImage(block);
    case "input_audio": {
      const { data, format } = block.input_audio as { data: string; format: string };
      return { type: "audio", format, data };
    }
    case "video_url":
      return decodeVideo(block);
    case "file":
      return decodeFile(block, place);
    default:
      throw onlyInChat(place, `a block of the type ${JSON.stringify(block.type)}`);
  }
}

function decodeImage(block: JsonRecord): ImagePart {
  const { url, detail } = block.image_url as { url: string; detail?: string | null };
  return { type: "image", source: sourceOfUrl(url), ...(detail && { detail }), ...cacheOf(block) };
}

function decodeVideo(block: JsonRecord): VideoPart {
  return { type: "video", source: sourceOfUrl((block.video_url as { url: string }).url) };
}

/** `file_data` is a data URL, a URL with some clients, or bare base64, which then is a PDF. */
function decodeFile(block: JsonRecord, place: string): DocumentPart {
  const file = block.file as JsonRecord;
  const filename = typeof file.filename === "string" ? { filename: file.filename } : {};
  const rest = { ...filename, ...cacheOf(block) };
  if (typeof file.file_id === "string")
    return { type: "document", source: { kind: "file-id", file_id: file.file_id }, ...rest };
  if (typeof file.file_data !== "string") throw noFile(place);
  const source = sourceOfUrl(file.file_data);
  const is_bare = source.kind === "url" && !/^[a-z][a-z0-9+.-]*:/i.test(source.url);
  if (!is_bare) return { type: "document", source, ...rest };
  return { type: "document", source: { kind: "base64", media_type: "application/pdf", data: file.file_data }, ...rest };
}

function noFile(place: string): GatewayError {
  const message = `'${place}.file' names no file; allowed: 'file_id', or 'file_data' as a data URL.`;
  return new GatewayError("invalid_messages", message, { param: `${place}.file` });
}

/** The `cache_control` of a block or tool, a field of the messages protocol that chat clients send too. */
export function cacheOf(holder: JsonRecord): { readonly cache?: CacheHint } {
  const control = holder.cache_control;
  if (!isObject(control) || control.type !== "ephemeral") return {};
  if (control.ttl === "5m") return { cache: { ttl: "5m" } };
  // Other vendors keep nothing for longer than an hour.
  return { cache: { ttl: control.ttl === "1h" || control.ttl === "12h" ? "1h" : null } };
}

/** The text of Mistral's `thinking` part: a string, or an array of text parts. */
export function thinkingText(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  if (!Array.isArray(thinking)) return "";
  return thinking.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}
