import type {
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  TextPart,
  ToolResultPart,
  UserPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import type { CacheControl, WireBlock, WireDocument, WireImage, WireSource, WireText } from "./wire-blocks.ts";

/**
 * The error for content that this protocol cannot express. The request is refused, because a model without that content
 * would answer another question.
 */
export function unsupportedContentError(what: string): GatewayError {
  const message = `'messages' hold ${what}; allowed for this model: text, images and PDF documents.`;
  return new GatewayError("unsupported_parameter", message, { param: "messages" });
}

export function encodeParts(parts: readonly (UserPart | ToolResultPart)[]): WireBlock[] {
  return parts.flatMap(encodePart);
}

function encodePart(part: UserPart | ToolResultPart): WireBlock[] {
  switch (part.type) {
    case "text":
      return encodeText(part);
    case "image":
      return [encodeImage(part)];
    case "document":
      return [encodeDocument(part)];
    case "audio":
    case "video":
      throw unsupportedContentError(part.type);
  }
}

/** One text block; no block for blank text, which vendors refuse. */
export function encodeText({ text, cache }: { readonly text: string; readonly cache?: CacheHint }): WireText[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...cacheControl(cache) }];
}

/** The content of a tool's result: plain text as a string, where it may also be blank. */
export function encodeResultContent(parts: readonly ToolResultPart[]): string | readonly WireBlock[] {
  const [only] = parts;
  if (only === undefined) return "";
  if (parts.length === 1 && only.type === "text" && only.cache === undefined) return only.text;
  return encodeParts(parts);
}

function encodeImage({ source, cache }: ImagePart): WireImage {
  return { type: "image", source: encodeSource(source), ...cacheControl(cache) };
}

function encodeDocument({ source, filename, cache }: DocumentPart): WireDocument {
  const rest = { ...(filename !== undefined && { title: filename }), ...cacheControl(cache) };
  if (source.kind !== "base64" || source.media_type === "application/pdf")
    return { type: "document", source: encodeSource(source), ...rest };
  if (!source.media_type.startsWith("text/"))
    throw unsupportedContentError(`a document of the type ${source.media_type}`);
  const data = Buffer.from(source.data, "base64").toString();
  return { type: "document", source: { type: "text", media_type: "text/plain", data }, ...rest };
}

function encodeSource(source: MediaSource): WireSource {
  switch (source.kind) {
    case "base64":
      return { type: "base64", media_type: source.media_type, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file-id":
      throw unsupportedContentError("a file by the id that another vendor gave it");
  }
}

export function cacheControl(cache: TextPart["cache"]): { readonly cache_control?: CacheControl } {
  if (cache === undefined) return {};
  return { cache_control: { type: "ephemeral", ...(cache.ttl !== null && { ttl: cache.ttl }) } };
}
