import type { ClientRequest, CollectedInput } from "../../core/answer/exchange.ts";

/**
 * Published prices of media in tokens, the lowest that is published for each, as an estimate must not charge for more than
 * was read: OpenAI counts 85 for an image in low detail; Google counts 258 for a small image, a page of a file and a
 * second of video.
 */
const LOW_DETAIL_TOKENS = 85;
const MEDIUM_TOKENS = 258;
/** Sound at its densest, 48,000 bytes a second, at the fewest tokens that are published for a second, 10 (OpenAI). */
const SOUND_BYTES_PER_TOKEN = 4800;
/** The tokens of earlier turns that a vendor stores: the smallest prompt that vendors say they keep in a cache. */
const STORED_TOKENS = 1024;

/** Text beyond this size is counted in proportion. */
export const SAMPLE_CHARACTERS = 256 * 1024;

/** The types of content that stand for a picture, a file or a video, in the public styles. */
const MEDIA = new Set(["image_url", "input_image", "image", "video", "video_url", "file", "input_file", "document"]);
/** Members whose strings are payloads where they hold base64, and members that hold addresses. */
const PAYLOAD_MEMBERS = new Set(["data", "data_base64", "file_data", "encrypted_content", "thoughtSignature"]);
/** Members that stand beside a payload in `data`; a tool's argument may be called `data`, too. */
const PAYLOAD_SIGNS = ["media_type", "format", "mimeType"];
const ADDRESS_MEMBERS = new Set(["url", "image_url", "file_url", "video_url"]);
const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+[;,]/;
const BASE64 = /^(?:data:[^,]{0,200},)?[A-Za-z0-9+/_=\r\n-]*$/;
/** Requests that continue what the vendor keeps (docs/rulings.md 54). */
export const STORED_MEMBERS = ["previous_response_id", "conversation", "prompt"];

/** The input of a request, as its endpoint counts it. */
export function inputOf(
  request: Pick<ClientRequest, "body" | "collectInput">,
  most_characters: number,
): CollectedInput {
  return request.collectInput?.(most_characters) ?? collectInput(request.body, most_characters);
}

/**
 * The input of a request, from its parsed body. A payload is recognised by its place together with its look: a text that
 * only looks like one, or that only stands where one could, is read and billed as text.
 *
 * Goes through the body without recursion, so that no depth of nesting overflows the stack, and keeps at most
 * `most_characters` of it.
 */
export function collectInput(body: Readonly<Record<string, unknown>>, most_characters: number): CollectedInput {
  const parts: string[] = [];
  let room = most_characters;
  let characters = 0;
  let media_tokens = continuesStored(body) ? STORED_TOKENS : 0;
  const read = (text: string): void => {
    characters += text.length + 1;
    if (room <= 0) return;
    parts.push(text.length <= room ? text : text.slice(0, room));
    room -= text.length + 1;
  };
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") read(value);
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at -= 1) waiting.push(value[at]);
    else if (typeof value === "object" && value !== null) {
      media_tokens += tokensOfMedium(value as Record<string, unknown>);
      for (const key in value) {
        const member = (value as Record<string, unknown>)[key];
        read(key);
        if (!(typeof member === "string" && isPayload(value, key, member))) waiting.push(member);
      }
    }
  }
  return { sample: parts.join("\n"), characters, media_tokens };
}

/**
 * Whether the vendor adds to the request from its own store: such a request speaks responses, the one style that has these
 * members beside `input` or in place of it.
 */
export function continuesStored(body: Readonly<Record<string, unknown>>): boolean {
  return !("messages" in body) && STORED_MEMBERS.some((member) => (body[member] ?? null) !== null);
}

function isPayload(owner: object, key: string, text: string): boolean {
  if (ADDRESS_MEMBERS.has(key)) return DATA_URL.test(text);
  if (!PAYLOAD_MEMBERS.has(key) || !BASE64.test(text)) return false;
  return (
    key !== "data" || PAYLOAD_SIGNS.some((sign) => sign in owner) || memberOf(owner, "type") === "redacted_thinking"
  );
}

function tokensOfMedium(value: Record<string, unknown>): number {
  const { type, detail, image_url, input_audio, source } = value;
  if (type === undefined) return tokensOfPart(value);
  if (type === "input_audio") return soundTokens(input_audio);
  if (typeof type !== "string" || !MEDIA.has(type)) return 0;
  // A document of text is read as text.
  if (type === "document" && (memberOf(source, "type") === "text" || memberOf(source, "type") === "content")) return 0;
  return (detail ?? memberOf(image_url, "detail")) === "low" ? LOW_DETAIL_TOKENS : MEDIUM_TOKENS;
}

/** A part of Gemini's style says by its media type what it holds. */
function tokensOfPart({ inlineData, fileData }: Record<string, unknown>): number {
  const held = inlineData ?? fileData;
  const media_type = memberOf(held, "mimeType");
  if (typeof held !== "object" || held === null) return 0;
  if (typeof media_type !== "string") return held === fileData ? MEDIUM_TOKENS : 0;
  if (media_type.startsWith("audio/")) return soundTokens(held);
  return media_type.startsWith("text/") ? 0 : MEDIUM_TOKENS;
}

function soundTokens(sound: unknown): number {
  const data = memberOf(sound, "data");
  return typeof data === "string" ? Math.ceil((data.length * 3) / 4 / SOUND_BYTES_PER_TOKEN) : 0;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
