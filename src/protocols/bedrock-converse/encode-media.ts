import type { AudioPart, DocumentPart, ImagePart, MediaSource, VideoPart } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import type { DocumentNames } from "./document-names.ts";
import type { Block, ResultBlock, Source } from "./wire.ts";

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

export function encodeImage({ source }: ImagePart): Extract<ResultBlock, { image: unknown }> {
  return { image: { format: formatOf(source, "image", IMAGES), source: encodeSource(source, "image") } };
}

export function encodeDocument(
  { source, filename }: DocumentPart,
  names: DocumentNames,
): Extract<ResultBlock, { document: unknown }> {
  const format = formatOf(source, "document", DOCUMENTS);
  return { document: { format, name: names.name(filename), source: encodeSource(source, "document") } };
}

export function encodeVideo({ source }: VideoPart): Block {
  return { video: { format: formatOf(source, "video", VIDEOS), source: encodeSource(source, "video") } };
}

export function encodeAudio({ format, data }: AudioPart): Block {
  return { audio: { format, source: { bytes: data } } };
}

/**
 * Base64 bytes, or a place in S3: the API fetches nothing from other places, and this gateway does not either
 * (docs/rulings.md 14).
 */
function encodeSource(source: MediaSource, what: string): Source {
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
