import type {
  AssistantPart,
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  Message,
  ReasoningPart,
  TextPart,
  ToolMessage,
  ToolResultPart,
  UserPart,
  VideoPart,
} from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { readSeal } from "./thought-seal.ts";
import type { GeminiContent, GeminiPart } from "./wire-request.ts";

type DecodedMedia = TextPart | ImagePart | AudioPart | VideoPart | DocumentPart;

/** Bytes in the request, by their media type. A text file is said as its text. */
function decodeInline({ mimeType, data }: NonNullable<GeminiPart["inlineData"]>): DecodedMedia {
  // Base64 is taken in both alphabets here, and in one by the other protocols.
  const plain = data.replaceAll("-", "+").replaceAll("_", "/");
  const [media_type = ""] = mimeType.toLowerCase().split(";");
  const source: MediaSource = { kind: "base64", media_type, data: plain };
  if (media_type.startsWith("image/")) return { type: "image", source };
  if (media_type.startsWith("video/")) return { type: "video", source };
  if (media_type.startsWith("audio/")) return { type: "audio", format: audioFormat(media_type), data: plain };
  if (media_type.startsWith("text/") || media_type === "application/json")
    return { type: "text", text: Buffer.from(plain, "base64").toString() };
  return { type: "document", source };
}

/** A file by its address, which the vendor fetches (docs/rulings.md 14). */
function decodeFile({ fileUri, mimeType }: NonNullable<GeminiPart["fileData"]>): ImagePart | VideoPart | DocumentPart {
  const media_type = (mimeType ?? "").toLowerCase();
  const source: MediaSource = { kind: "url", url: fileUri };
  const path = URL.parse(fileUri)?.pathname ?? "";
  if (media_type.startsWith("image/") || (media_type === "" && IMAGE_NAME.test(path))) return { type: "image", source };
  const is_video = media_type.startsWith("video/") || (media_type === "" && (VIDEO_NAME.test(path) || isClip(fileUri)));
  return { type: is_video ? "video" : "document", source };
}

const IMAGE_NAME = /\.(png|jpe?g|webp|gif|heic|heif)$/i;
const VIDEO_NAME = /\.(mp4|mov|webm|mpe?g|avi|wmv)$/i;

/** A clip on a site for videos, which the public API takes without a media type. */
function isClip(url: string): boolean {
  return /^https:\/\/(www\.)?(youtube\.com|youtu\.be)\//.test(url);
}

/** Style A's name of a format of sound. */
function audioFormat(media_type: string): string {
  const name = media_type.slice("audio/".length).replace(/^x-/, "");
  return name === "mpeg" || name === "mpeg3" ? "mp3" : name === "wave" || name === "vnd.wave" ? "wav" : name;
}

/**
 * The ids of a conversation's calls and results (docs/rulings.md 191). In this API both may be without one: results then answer calls by
 * their names, in their order.
 */
class UnansweredCalls {
  readonly #waiting: { readonly id: string; readonly name: string }[] = [];
  #made = 0;

  called(name: string, id: string): string {
    const given = id === "" ? this.#next() : id;
    this.#waiting.push({ id: given, name });
    return given;
  }

  /** The id of the call that a result answers; an id of its own where no call waits for it. */
  answered(name: string, id: string): string {
    const at = this.#waiting.findIndex((call) => (id === "" ? call.name === name : call.id === id));
    if (at === -1) return id === "" ? this.#next() : id;
    const [call] = this.#waiting.splice(at, 1);
    return call?.id ?? id;
  }

  #next(): string {
    this.#made += 1;
    return `call_${this.#made}`;
  }
}

/** A conversation in neutral form. */
export interface DecodedContents {
  readonly messages: readonly Message[];
  /** The names of what no other protocol has. */
  readonly left_out: ReadonlySet<string>;
}

/**
 * Decodes `contents`. Calls and results without ids, which this API allows, get some (docs/rulings.md 191); a result belongs to the oldest
 * call of its name that waits for one.
 */
export function decodeContents(contents: readonly GeminiContent[]): DecodedContents {
  const left_out = new Set<string>();
  const calls = new UnansweredCalls();
  const messages: Message[] = [];
  let answer: GeminiPart[] = [];
  const closeAnswer = (): void => {
    const content = decodeModel(answer, calls, left_out);
    if (content.length > 0) messages.push({ role: "assistant", content });
    answer = [];
  };
  for (const { role, parts } of contents) {
    // Clients keep a streamed answer as one turn for each of its pieces: they are one message.
    if (role === "model") for (const part of parts ?? []) answer.push(part);
    else {
      closeAnswer();
      for (const message of decodeUser(parts ?? [], calls, left_out)) messages.push(message);
    }
  }
  closeAnswer();
  return { messages, left_out };
}

function decodeUser(parts: readonly GeminiPart[], calls: UnansweredCalls, left_out: Set<string>): Message[] {
  const results: ToolMessage[] = [];
  const said: UserPart[] = [];
  for (const part of parts) {
    if (isObject(part.functionResponse)) results.push(decodeResult(part.functionResponse, calls, left_out));
    else if (typeof part.text === "string") said.push({ type: "text", text: part.text });
    else if (isObject(part.inlineData)) said.push(decodeInline(part.inlineData));
    else if (isObject(part.fileData)) said.push(decodeFile(part.fileData));
    else noteUnknown(part, left_out);
    noteSettings(part, left_out);
  }
  return said.length === 0 ? results : [...results, { role: "user", content: said }];
}

type FunctionResult = NonNullable<GeminiPart["functionResponse"]>;

function decodeResult(result: FunctionResult, calls: UnansweredCalls, left_out: Set<string>): ToolMessage {
  const { id, name, response, parts } = result;
  const { text, is_error } = readResponse((response ?? {}) as JsonRecord);
  const content: ToolResultPart[] = text === "" ? [] : [{ type: "text", text }];
  for (const { inlineData, fileData } of parts ?? []) {
    const part = inlineData ? decodeInline(inlineData) : fileData ? decodeFile(fileData) : null;
    if (part?.type === "image" || part?.type === "document" || part?.type === "text") content.push(part);
    else if (part !== null) left_out.add("contents.functionResponse.parts");
  }
  return { role: "tool", call_id: calls.answered(name, id ?? ""), content, is_error };
}

/** Google's clients put a function's result under `output` (or `result`), and what it threw under `error`. */
function readResponse(response: JsonRecord): { readonly text: string; readonly is_error: boolean } {
  const names = Object.keys(response);
  const [name = ""] = names;
  const is_wrapped = names.length === 1 && (name === "output" || name === "result" || name === "error");
  const value = is_wrapped ? response[name] : response;
  const text = typeof value === "string" ? value : names.length === 0 ? "" : JSON.stringify(value);
  return { text, is_error: is_wrapped && name === "error" };
}

function decodeModel(parts: readonly GeminiPart[], calls: UnansweredCalls, left_out: Set<string>): AssistantPart[] {
  const seals = parts.map(({ thoughtSignature }) => readSeal(thoughtSignature));
  // What a seal holds is the reasoning that is also shown.
  const is_sealed = seals.some(({ reasoning }) => reasoning.length > 0);
  const content: AssistantPart[] = [];
  for (const [at, part] of parts.entries()) {
    const { own, reasoning } = seals[at] ?? { own: null, reasoning: [] };
    for (const thought of reasoning) content.push(thought);
    const opaque = own === null ? {} : { opaque: own };
    if (isObject(part.functionCall)) {
      const { id, name, args } = part.functionCall;
      const call = { id: calls.called(name, id ?? ""), name, arguments: JSON.stringify(args ?? {}) };
      content.push({ type: "tool-call", ...call, kind: "function", ...opaque });
    } else if (part.thought === true) {
      if (!is_sealed) addThought(content, { type: "reasoning", text: part.text ?? "", ...opaque });
    } else {
      addText(content, part.text ?? "", own === null ? undefined : own);
      if (typeof part.text !== "string") noteUnknown(part, left_out);
    }
  }
  return content;
}

/** The pieces of a streamed thought are one, which ends with its signature. */
function addThought(content: AssistantPart[], thought: ReasoningPart): void {
  const last = content.at(-1);
  if (last?.type === "reasoning" && last.opaque === undefined)
    content[content.length - 1] = { ...thought, text: last.text + thought.text };
  else if (thought.text !== "" || thought.opaque !== undefined) content.push(thought);
}

/** The same for a text: a signature without a text, as at the end of a stream, belongs to the text before it. */
function addText(content: AssistantPart[], text: string, opaque: ReasoningPart["opaque"]): void {
  const signed = opaque === undefined ? {} : { opaque };
  const last = content.at(-1);
  if (last?.type === "text" && last.opaque === undefined)
    content[content.length - 1] = { type: "text", text: last.text + text, ...signed };
  else if (text !== "" || opaque !== undefined) content.push({ type: "text", text, ...signed });
}

const SETTINGS = ["videoMetadata", "mediaResolution"];
/** The members of a part that are known here; all others are named as left out. */
const ABOUT: ReadonlySet<string> = new Set(["text", "thought", "thoughtSignature", ...SETTINGS]);

/** Names what a part says that no other protocol has: code that the vendor ran, an answer of its own tools, an image that it made. */
function noteUnknown(part: JsonRecord, left_out: Set<string>): void {
  for (const [name, value] of Object.entries(part))
    if (!ABOUT.has(name) && (value ?? null) !== null) left_out.add(`contents.${name}`);
}

function noteSettings(part: JsonRecord, left_out: Set<string>): void {
  for (const name of SETTINGS) if ((part[name] ?? null) !== null) left_out.add(`contents.${name}`);
}
