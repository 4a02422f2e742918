import type { CacheHint, DocumentPart, ImagePart, MediaSource, TextPart } from "../../core/answer/generation.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { carryDocument } from "./carry-document.ts";
import type { CacheControl, WireBlock, WireDocument, WireSource } from "./wire-blocks.ts";

/** The error for content that only a vendor of messages can honour. */
export function onlyInMessages(place: string, what: string): GatewayError {
  const message = `'${place}' is ${what}, which this model cannot take: it is not reached by messages.`;
  return invalidRequest(message, place);
}

/** A block of a user's message or of a tool's result. */
export function decodeMedia(block: WireBlock | ToolReference, place: string): TextPart | ImagePart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...cacheOf(block) };
    case "image":
      return { type: "image", source: decodeSource(block.source), ...cacheOf(block) };
    case "tool_reference":
      // A target that cannot search gets all tools declared, so the name of the found tool is enough.
      return { type: "text", text: block.tool_name };
    case "document":
    case "tool_result":
    case "tool_use":
    case "thinking":
    case "redacted_thinking":
      break;
  }
  throw onlyInMessages(place, `a block of the type ${JSON.stringify(block.type)}`);
}

/**
 * A document in what the user says (docs/rulings.md 189): a file stays one, as in chat's `file` and responses'
 * `input_file`; text and blocks are carried as such, under their title.
 */
export function decodeDocument(block: WireDocument, left_out: Set<string>): (TextPart | ImagePart | DocumentPart)[] {
  const { source, title, context, citations } = block;
  if (source.type === "text" || source.type === "content") {
    const carried = carryDocument(block);
    for (const what of carried.left_out) left_out.add(what);
    return carried.blocks.map((each) => decodeMedia(each, "messages"));
  }
  if (citations?.enabled) left_out.add("citations");
  const about: TextPart[] = (context ?? "").trim() === "" ? [] : [{ type: "text", text: context ?? "" }];
  const filename = title ? { filename: title } : {};
  return [...about, { type: "document", source: decodeSource(source), ...filename, ...cacheOf(block) }];
}

/** The result of a search among the client's own tools. */
interface ToolReference {
  readonly type: "tool_reference";
  readonly tool_name: string;
}

function decodeSource(source: WireSource): MediaSource {
  switch (source.type) {
    case "base64":
      return { kind: "base64", media_type: source.media_type, data: source.data };
    case "url":
      return { kind: "url", url: source.url };
    case "file":
      return { kind: "file-id", file_id: source.file_id };
  }
}

/** Other vendors keep nothing for longer than an hour. */
function lifetimeOf(ttl: CacheControl["ttl"]): CacheHint["ttl"] {
  return ttl === "12h" ? "1h" : (ttl ?? null);
}

/** The cache hint of a block, message or tool. */
export function cacheOf(holder: { readonly cache_control?: CacheControl | null }): { readonly cache?: CacheHint } {
  const control = holder.cache_control;
  return control ? { cache: { ttl: lifetimeOf(control.ttl) } } : {};
}
