import type { AudioPart, DocumentPart, ImagePart, MediaSource, VideoPart } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Part } from "./wire.ts";

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
export function encodeMedia(part: ImagePart | VideoPart | DocumentPart): Part {
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
export function encodeAudio({ format, data }: AudioPart): Part {
  return { inlineData: { mimeType: format.includes("/") ? format : `audio/${format}`, data } };
}

function mediaTypeOf(url: string): string | undefined {
  const path = URL.parse(url)?.pathname ?? "";
  return BY_ENDING[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}
