import type {
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  RefusalPart,
  TextPart,
  ToolResultPart,
  UserPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, plainText } from "../../core/json.ts";
import { sourceOfUrl } from "../shared/data-url.ts";
import { onlyInResponses } from "./unsupported-feature.ts";

export type Block = Readonly<Record<string, unknown>>;
/** The content of a message or a tool's output: a string, or an array of blocks. It is checked before it gets here. */
export type Content = string | readonly Block[];

/** The parts of a user's message; an empty string has none. */
export function decodeUserParts(content: Content, place: string): UserPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((block, index) => decodeBlock(block, `${place}[${index}]`));
}

/** The parts of a system or developer message. */
export function decodeTextParts(content: Content, place: string): TextPart[] {
  return decodeUserParts(content, place).map((part, index) => {
    if (part.type !== "text") throw notAllowed(`${place}[${index}]`, part.type, "text");
    return part;
  });
}

/** The parts of a tool's output. */
export function decodeResultParts(content: Content, place: string): ToolResultPart[] {
  return decodeUserParts(content, place).map((part, index) => {
    if (part.type === "audio" || part.type === "video")
      throw notAllowed(`${place}[${index}]`, part.type, "text, images and files");
    return part;
  });
}

/** The parts of an earlier answer that the client gives back. */
export function decodeAnswerParts(content: Content, place: string): (TextPart | RefusalPart)[] {
  if (typeof content === "string") return decodeTextParts(content, place);
  return content.flatMap((block, index): (TextPart | RefusalPart)[] =>
    block.type === "refusal"
      ? [{ type: "refusal", text: plainText(block.refusal) }]
      : decodeTextParts([block], `${place}[${index}]`),
  );
}

function decodeBlock(block: Block, place: string): UserPart {
  switch (block.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: plainText(block.text), ...cacheOf(block) };
    case "input_image":
      return decodeImage(block, place);
    case "input_file":
      return decodeFile(block, place);
    case "input_audio": {
      if (!isObject(block.input_audio)) throw notAllowed(place, "input_audio", "one with 'input_audio'");
      return { type: "audio", format: plainText(block.input_audio.format), data: plainText(block.input_audio.data) };
    }
    default:
      throw onlyInResponses(place, `a block of the type ${JSON.stringify(block.type)}`);
  }
}

function decodeImage(block: Block, place: string): ImagePart {
  const source = typeof block.image_url === "string" ? sourceOfUrl(block.image_url) : fileOf(block);
  if (source === null) throw notAllowed(place, "input_image", "one with 'image_url' or 'file_id'");
  const detail = typeof block.detail === "string" ? { detail: block.detail } : {};
  return { type: "image", source, ...detail, ...cacheOf(block) };
}

/** `file_data` is a data URL, or bare base64, whose media type only the file's name shows. */
function decodeFile(block: Block, place: string): DocumentPart {
  const filename = typeof block.filename === "string" ? block.filename : null;
  const source = sourceOfFile(block, filename);
  if (source === null) throw notAllowed(place, "input_file", "one with 'file_data', 'file_url' or 'file_id'");
  const detail = typeof block.detail === "string" ? { detail: block.detail } : {};
  return { type: "document", source, ...(filename !== null && { filename }), ...detail, ...cacheOf(block) };
}

function sourceOfFile(block: Block, filename: string | null): MediaSource | null {
  if (typeof block.file_url === "string") return { kind: "url", url: block.file_url };
  if (typeof block.file_data !== "string") return fileOf(block);
  const source = sourceOfUrl(block.file_data);
  const is_bare = source.kind === "url" && !source.url.startsWith("data:");
  return is_bare ? { kind: "base64", media_type: mediaTypeOf(filename), data: block.file_data } : source;
}

function mediaTypeOf(filename: string | null): string {
  const type = filename === null || /\.pdf$/i.test(filename) ? "application/pdf" : Bun.file(filename).type;
  // Bun adds a charset to text.
  return type.split(";", 1)[0] ?? type;
}

function fileOf({ file_id }: Block): MediaSource | null {
  return typeof file_id === "string" ? { kind: "file-id", file_id } : null;
}

/**
 * Explicit cache breakpoints live for at least half an hour, longer than the shortest cache of another vendor lives.
 */
function cacheOf({ prompt_cache_breakpoint: hint }: Block): { readonly cache?: CacheHint } {
  if (!isObject(hint)) return {};
  return { cache: { ttl: typeof hint.ttl === "string" ? "1h" : null } };
}

function notAllowed(place: string, type: string, allowed: string): GatewayError {
  const message = `'${place}' is of the type ${JSON.stringify(type)}; allowed there: ${allowed}.`;
  return new GatewayError("invalid_responses_input", message, { param: place });
}
