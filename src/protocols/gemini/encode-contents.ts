import type {
  AssistantMessage,
  AssistantPart,
  DocumentPart,
  ImagePart,
  Message,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../../core/answer/generation.ts";
import { callSignatures, googleSignature } from "../shared/google-models.ts";
import { parseArguments } from "../shared/object-arguments.ts";
import { NO_CONTENT } from "../shared/substitute-texts.ts";
import { encodeAudio, encodeMedia } from "./encode-media.ts";
import type { Content, Part } from "./wire.ts";

/** A conversation in Gemini's shape. */
export interface EncodedConversation {
  readonly contents: readonly Content[];
  readonly system: readonly Part[];
}

/**
 * Encodes messages as contents. System and developer messages go into the only system instruction; consecutive
 * assistant messages are one turn of the model, consecutive tool results the one answer to its calls. A model's turn
 * never comes first, because the API refuses that (docs/rulings.md 168).
 */
export function encodeConversation(messages: readonly Message[], dialect: ContentDialect): EncodedConversation {
  const system: Part[] = [];
  const turns: ContentTurn[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "system") addTexts(system, message.content);
    else addTurn(turns, message.role, encodeMessage(message, names, dialect));
  }
  if (turns[0]?.of === "assistant") turns.unshift({ of: "user", parts: texts([NO_CONTENT]) });
  const contents = turns.map(({ of, parts }) => ({ role: of === "assistant" ? "model" : "user", parts }) as const);
  // The API requires a turn, so instructions without any message become the user's text.
  return contents.length === 0 && system.length > 0
    ? { contents: [{ role: "user", parts: system }], system: [] }
    : { contents, system };
}

interface ContentTurn {
  readonly of: Exclude<Message["role"], "system">;
  readonly parts: Part[];
}

function addTurn(turns: ContentTurn[], of: ContentTurn["of"], parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const last = turns.at(-1);
  if (last === undefined || last.of !== of || of === "user") turns.push({ of, parts: [...parts] });
  else for (const part of parts) last.parts.push(part);
}

function encodeMessage(
  message: UserMessage | AssistantMessage | ToolMessage,
  names: Map<string, string>,
  dialect: ContentDialect,
): readonly Part[] {
  switch (message.role) {
    case "user":
      return encodeUser(message);
    case "assistant":
      return encodeAssistant(message, names, dialect);
    case "tool":
      return encodeToolResult(message, names.get(message.call_id) ?? message.call_id, dialect);
  }
}

function encodeUser({ content }: UserMessage): Part[] {
  return content.flatMap((part) => {
    if (part.type === "text") return texts([part.text]);
    return [part.type === "audio" ? encodeAudio(part) : encodeMedia(part)];
  });
}

function addTexts(parts: Part[], said: readonly { readonly text: string }[]): void {
  for (const part of texts(said.map(({ text }) => text))) parts.push(part);
}

/** The texts as parts, without empty texts, which the API refuses. */
function texts(all: readonly string[]): Part[] {
  return all.filter((text) => text !== "").map((text) => ({ text }));
}

function encodeAssistant({ content }: AssistantMessage, names: Map<string, string>, dialect: ContentDialect): Part[] {
  const calls = content.filter((part) => part.type === "tool-call");
  const signatures = callSignatures(calls, dialect.is_gemini_3);
  const parts: Part[] = [];
  let nth = 0;
  for (const part of content) {
    if (part.type !== "tool-call") {
      for (const said of encodeSaid(part)) parts.push(said);
      continue;
    }
    names.set(part.id, part.name);
    parts.push(encodeCall(part, signatures[nth] ?? null, dialect));
    nth += 1;
  }
  return parts;
}

function encodeCall(part: ToolCallPart, signature: string | null, { call_ids }: ContentDialect): Part {
  const id = call_ids ? { id: part.id } : {};
  return {
    functionCall: { ...id, name: part.name, args: parseArguments(part.arguments) },
    ...(signature === null ? {} : { thoughtSignature: signature }),
  };
}

/**
 * Text, refusal or reasoning of a turn. Unsigned summaries of thoughts do not help the model and are left out. A Google
 * signature goes back byte for byte, on a part with the text that it came with.
 */
function encodeSaid(part: Exclude<AssistantPart, ToolCallPart>): Part[] {
  const signature = part.type === "refusal" ? null : googleSignature(part.opaque);
  if (signature === null) return part.type === "reasoning" ? [] : texts([part.text]);
  const thought = part.type === "reasoning" && part.text !== "" ? { thought: true as const } : {};
  return [{ text: part.text, ...thought, thoughtSignature: signature }];
}

/**
 * One tool's result. Its images and documents go inside it where the model supports that and their bytes are in the
 * request, else beside it.
 */
function encodeToolResult(
  message: ToolMessage,
  name: string,
  { call_ids, is_gemini_3 }: ContentDialect,
): readonly Part[] {
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const media = message.content.filter((part) => part.type !== "text");
  const inside = is_gemini_3 ? media.filter(isInline) : [];
  const beside = is_gemini_3 ? media.filter((part) => !isInline(part)) : media;
  const result: Part = {
    functionResponse: {
      ...(call_ids ? { id: message.call_id } : {}),
      name,
      response: { [message.is_error ? "error" : "output"]: text },
      ...(inside.length > 0 ? { parts: inside.flatMap(inlinePart) } : {}),
    },
  };
  return [result, ...beside.map(encodeMedia)];
}

function isInline({ source }: ImagePart | DocumentPart): boolean {
  return source.kind === "base64";
}

function inlinePart(part: ImagePart | DocumentPart) {
  const { inlineData } = encodeMedia(part);
  return inlineData === undefined ? [] : [{ inlineData }];
}

/** The properties of a target that decide how messages are written. */
interface ContentDialect {
  /** False on Vertex AI, which refuses ids of calls and matches results by their order. */
  readonly call_ids: boolean;
  /** Whether the model requires signatures, and accepts media inside tool results. */
  readonly is_gemini_3: boolean;
}
