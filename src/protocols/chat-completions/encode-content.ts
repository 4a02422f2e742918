import type {
  DocumentPart,
  ImagePart,
  MediaSource,
  TextPart,
  ToolResultPart,
  UserPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";
import { dataUrl } from "../shared/data-url.ts";

/** The separator for vendors that accept only strings: other vendors read several texts as separate paragraphs. */
const BETWEEN_TEXTS = "\n\n";

/** Texts joined to one string, which every vendor accepts. */
export function joinTexts(parts: readonly { readonly text: string }[]): string {
  return parts.length === 1 ? (parts[0]?.text ?? "") : parts.map(({ text }) => text).join(BETWEEN_TEXTS);
}

/** A user's content: a string where it is only text, else blocks. Throws for content that chat has no block for. */
export function encodeUserContent(parts: readonly UserPart[]): string | readonly JsonRecord[] {
  if (parts.every((part) => part.type === "text")) return joinTexts(parts);
  return parts.map(encodePart);
}

function encodePart(part: UserPart): JsonRecord {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return encodeImage(part);
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    case "video":
      return { type: "video_url", video_url: { url: urlOf(part.source, "A video") } };
    case "document":
      return encodeDocument(part);
  }
}

function encodeImage({ source, detail }: ImagePart): JsonRecord {
  return { type: "image_url", image_url: { url: urlOf(source, "An image"), ...(detail !== undefined && { detail }) } };
}

/** A text document becomes a text block with its filename, because vendors take only PDFs as files. */
function encodeDocument({ source, filename }: DocumentPart): JsonRecord {
  const named = filename === undefined ? {} : { filename };
  if (source.kind === "base64" && isText(source.media_type)) {
    const text = Buffer.from(source.data, "base64").toString();
    return { type: "text", text: filename === undefined ? text : `${filename}:${BETWEEN_TEXTS}${text}` };
  }
  switch (source.kind) {
    case "file-id":
      return { type: "file", file: { ...named, file_id: source.file_id } };
    case "base64":
      return { type: "file", file: { filename: filename ?? "document.pdf", file_data: dataUrl(source) } };
    case "url":
      throw unsupportedMediaError("A document by URL", "base64");
  }
}

function isText(media_type: string): boolean {
  return media_type.startsWith("text/") || media_type === "application/json";
}

function urlOf(source: MediaSource, what: string): string {
  if (source.kind === "url") return source.url;
  if (source.kind === "base64") return dataUrl(source);
  throw unsupportedMediaError(`${what} by file id`, "a URL or base64");
}

function unsupportedMediaError(what: string, allowed: string): GatewayError {
  const message = `${what} was found in 'messages', which this model's vendor cannot take; allowed: ${allowed}.`;
  return new GatewayError("unsupported_parameter", message, { param: "messages" });
}

/**
 * A tool's result: its text, and the media that must follow in a user's message because tool messages hold only text.
 */
export interface EncodedResult {
  readonly text: string;
  readonly media: readonly JsonRecord[];
}

export function encodeToolResult(parts: readonly ToolResultPart[], is_error: boolean): EncodedResult {
  const texts = parts.filter((part): part is TextPart => part.type === "text");
  const media = parts.filter((part) => part.type !== "text").map(encodePart);
  const said = texts.length === 0 && media.length > 0 ? "The result follows in the next message." : joinTexts(texts);
  // Chat has no field for a failed call, so the text says it.
  return { text: is_error && !/^error\b/i.test(said) ? `Error: ${said}` : said, media };
}
