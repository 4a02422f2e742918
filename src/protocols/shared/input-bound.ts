import { isObject, type JsonRecord } from "../../core/json.ts";

/**
 * Tokens that one image may cost at most, whatever its size. Vendors scale images down and count tiles or patches, not
 * bytes: about 1,600 (Anthropic, up to 4,800 in high resolution), 258 per tile (Google), up to 1,500 (OpenAI's tiles)
 * or 3,800 (its patches). 8,192 stands above them with room for the next generation.
 */
export const IMAGE_BOUND_TOKENS = 8192;

/**
 * The bound for media that the vendor fetches: their size is not known here; a minute of video is about 16,000 tokens.
 */
export const REMOTE_MEDIA_BOUND_TOKENS = 32768;

/**
 * Room for the prompt that vendors add before the conversation when a request has tools: a few hundred tokens that no
 * request shows.
 */
const TOOL_PREAMBLE_TOKENS = 1024;

/**
 * An upper bound of a request's input tokens, from its bytes: no token of any current tokenizer is shorter than a byte
 * of text, and no tokenizer runs on request text in the serving thread (docs/rulings.md 25). Images in base64 are
 * counted by the piece instead of by their bytes; sound and files by their bytes, in base64 as they came.
 *
 * `text` is the body as sent; `conversation` is the part of the parsed body that may hold images (`messages`, `input`,
 * `system`), in any of the styles (docs/rulings.md 57).
 */
export function inputBound(text: string, conversation: unknown, has_tools: boolean): number {
  const media = { images: 0, image_bytes: 0, remote: 0 };
  countMedia(conversation, media);
  const text_bytes = Buffer.byteLength(text) - media.image_bytes;
  return (
    text_bytes +
    media.images * IMAGE_BOUND_TOKENS +
    media.remote * REMOTE_MEDIA_BOUND_TOKENS +
    (has_tools ? TOOL_PREAMBLE_TOKENS : 0)
  );
}

interface CountedMedia {
  images: number;
  /** Never more than the payloads' share of the body: characters in place of bytes, escapes not counted. */
  image_bytes: number;
  remote: number;
}

/** Deeper than any style nests (messages, blocks, a tool result's blocks); media at a greater depth count as text. */
const MAX_DEPTH = 12;

/** Messages, their content blocks, and the content of tool results: the places where protocols put images. */
function countMedia(value: unknown, media: CountedMedia, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) countMedia(item, media, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  switch (value.type) {
    case "image_url":
    case "input_image":
      return addImage(isObject(value.image_url) ? value.image_url.url : value.image_url, media);
    case "image":
      return addImage(isObject(value.source) ? value.source.data : null, media);
    case "video":
      return addFrames(value.video, media);
    case "video_url":
    case "file":
    case "input_file":
      if (!holdsItsBytes(value)) media.remote++;
      return;
    case "document":
      return addDocument(value.source, media, depth);
    default:
      if (value.type === undefined) countParts(value, media, depth);
      if (typeof value.content === "object") countMedia(value.content, media, depth + 1);
      if (typeof value.output === "object") countMedia(value.output, media, depth + 1);
  }
}

/** Gemini's style: turns hold parts, and a part holds bytes or a file by its media type. */
function countParts(
  { parts, functionResponse, inlineData, fileData }: JsonRecord,
  media: CountedMedia,
  depth: number,
): void {
  if (typeof parts === "object") countMedia(parts, media, depth + 1);
  if (isObject(functionResponse)) countMedia(functionResponse, media, depth + 1);
  const held = isObject(inlineData) ? inlineData : fileData;
  if (!isObject(held)) return;
  const media_type = typeof held.mimeType === "string" ? held.mimeType.toLowerCase() : "";
  if (media_type.startsWith("image/")) addImage(held.data ?? null, media);
  // Sound in the request counts by its bytes; the pages of a document are read as pictures too.
  else if (held === fileData || !/^(audio|video|text)\//.test(media_type)) media.remote++;
}

/**
 * Counts an image in base64, with or without a data URL's head, by a fixed bound; a URL of an image elsewhere counts as
 * text.
 */
function addImage(payload: unknown, media: CountedMedia): void {
  media.images++;
  if (typeof payload !== "string") return;
  if (!payload.startsWith("https:") && !payload.startsWith("http:")) media.image_bytes += payload.length;
}

/** Text counts by its bytes. A file's pages are read as pictures too, and small files may have many of them. */
function addDocument(source: unknown, media: CountedMedia, depth: number): void {
  if (isObject(source) && source.type === "text") return;
  if (isObject(source) && source.type === "content") countMedia(source.content, media, depth + 1);
  else media.remote++;
}

function addFrames(frames: unknown, media: CountedMedia): void {
  if (!Array.isArray(frames)) media.remote++;
  else for (const frame of frames) addImage(isObject(frame) ? frame.url : frame, media);
}

/** Whether a file or video is contained in the request itself, in one of the protocols' fields for data. */
function holdsItsBytes(block: Record<string, unknown>): boolean {
  for (const holder of [block, block.file, block.source, block.video_url]) {
    if (!isObject(holder)) continue;
    if (typeof holder.file_data === "string" || typeof holder.data === "string") return true;
    if (typeof holder.url === "string" && holder.url.startsWith("data:")) return true;
  }
  return false;
}
