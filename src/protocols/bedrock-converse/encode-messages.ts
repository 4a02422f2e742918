import type {
  AssistantMessage,
  CacheHint,
  Message,
  Opaque,
  ReasoningPart,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "../../core/answer/generation.ts";
import { parseArguments } from "../shared/object-arguments.ts";
import { NO_CONTENT } from "../shared/substitute-texts.ts";
import { DocumentNames } from "./document-names.ts";
import { encodeAudio, encodeDocument, encodeImage, encodeVideo } from "./encode-media.ts";
import type { FamilyTraits } from "./model-family.ts";
import type { Block, CachePoint, ResultBlock, SystemBlock, WireMessage } from "./wire.ts";

/** The system prompt: the texts of all system and developer messages, wherever they stand. */
export function encodeSystem(messages: readonly Message[], traits: FamilyTraits): SystemBlock[] {
  const blocks: SystemBlock[] = [];
  for (const { content } of messages.filter((message): message is SystemMessage => message.role === "system")) {
    for (const { text, cache } of content) {
      if (!isBlank(text)) blocks.push({ text });
      pushCachePoint(blocks, cache, traits);
    }
  }
  return blocks;
}

/**
 * The turns, user and assistant in alternation as the API requires: consecutive messages of the user and the tools are
 * one turn, and so are consecutive messages of the assistant. Blank texts are left out because the API refuses them.
 * Before a conversation that begins with the assistant, a user's turn is put (docs/rulings.md 168).
 */
export function encodeMessages(messages: readonly Message[], traits: FamilyTraits): WireMessage[] {
  const context: Context = { names: new DocumentNames(), traits };
  const turns: { role: WireMessage["role"]; content: Block[] }[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const content = last?.role === role ? last.content : [];
    if (message.role === "assistant") encodeAssistant(message, content, traits);
    else if (message.role === "user") encodeUser(message, content, context);
    else encodeResult(message, content, context);
    if (last?.role !== role && content.length > 0) turns.push({ role, content });
  }
  if (turns[0]?.role === "assistant") turns.unshift({ role: "user", content: [{ text: NO_CONTENT }] });
  return withoutTrailingSpace(turns);
}

interface Context {
  readonly names: DocumentNames;
  readonly traits: FamilyTraits;
}

function encodeUser({ content }: UserMessage, blocks: Block[], { names, traits }: Context): void {
  for (const part of content) {
    switch (part.type) {
      case "text":
        if (!isBlank(part.text)) blocks.push({ text: part.text });
        break;
      case "image":
        blocks.push(encodeImage(part));
        break;
      case "document":
        blocks.push(encodeDocument(part, names));
        break;
      case "video":
        blocks.push(encodeVideo(part));
        break;
      case "audio":
        blocks.push(encodeAudio(part));
        break;
    }
    if ("cache" in part) pushCachePoint(blocks, part.cache, traits);
  }
}

function encodeAssistant({ content }: AssistantMessage, blocks: Block[], traits: FamilyTraits): void {
  for (const part of content) {
    switch (part.type) {
      case "text":
      case "refusal":
        if (!isBlank(part.text)) blocks.push({ text: part.text });
        break;
      case "reasoning":
        for (const block of encodeReasoning(part)) blocks.push(block);
        break;
      case "tool-call":
        blocks.push({
          toolUse: { toolUseId: part.id, name: part.name, input: parseArguments(part.arguments) },
        });
        break;
    }
    if ("cache" in part) pushCachePoint(blocks, part.cache, traits);
  }
}

/** Only signed or encrypted reasoning goes back: some models repeat unsigned reasoning in their answers. */
function encodeReasoning({ text, opaque }: ReasoningPart): Block[] {
  if (opaque === undefined) return [];
  if (opaque.form === "signature") return [{ reasoningContent: { reasoningText: { text, signature: opaque.data } } }];
  return isOwnRedaction(opaque) ? [{ reasoningContent: { redactedContent: opaque.data } }] : [];
}

/**
 * Signatures are the same on all platforms of a maker's models; redacted reasoning is packed by the platform itself.
 */
function isOwnRedaction({ family }: Opaque): boolean {
  return family === "bedrock";
}

/** Whether a part of an answer becomes a block of reasoning for the model. */
export function isReplayed(part: AssistantMessage["content"][number] | undefined): boolean {
  return part?.type === "reasoning" && encodeReasoning(part).length > 0;
}

const NO_OUTPUT = "(no output)";

function encodeResult(message: ToolMessage, blocks: Block[], { names, traits }: Context): void {
  const content = message.content.flatMap((part): ResultBlock[] => {
    if (part.type === "text") return isBlank(part.text) ? [] : [{ text: part.text }];
    return [part.type === "image" ? encodeImage(part) : encodeDocument(part, names)];
  });
  const marked = message.is_error && traits.result_status ? { status: "error" as const } : {};
  const told = message.is_error && !traits.result_status ? toldAsError(content) : content;
  blocks.push({
    toolResult: {
      toolUseId: message.call_id,
      content: told.length === 0 ? [{ text: NO_OUTPUT }] : told,
      ...marked,
    },
  });
  const inner = message.content.map((part) => part.cache).find((cache) => cache !== undefined);
  pushCachePoint(blocks, message.cache ?? inner, traits);
}

/** The result of a failed call as text that says so, for models that take no error status. */
function toldAsError(content: readonly ResultBlock[]): ResultBlock[] {
  const [first, ...rest] = content;
  if (first === undefined || !("text" in first)) return [{ text: "Error:" }, ...content];
  return /^error\b/i.test(first.text) ? [...content] : [{ text: `Error: ${first.text}` }, ...rest];
}

/**
 * Adds a cache point, which covers the blocks before it; adds none where there are no blocks, or one stands there
 * already.
 */
export function pushCachePoint(
  blocks: (CachePoint | object)[],
  hint: CacheHint | undefined,
  { long_cache }: FamilyTraits,
): void {
  const last = blocks.at(-1);
  if (hint === undefined || last === undefined || "cachePoint" in last) return;
  blocks.push({ cachePoint: { type: "default", ...(long_cache && hint.ttl === "1h" ? { ttl: "1h" } : {}) } });
}

/** The turns without white space at the end of a last assistant turn, which the API refuses there. */
function withoutTrailingSpace(turns: { role: WireMessage["role"]; content: Block[] }[]): WireMessage[] {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (last === undefined || block === undefined || !("text" in block)) return turns;
  const trimmed = { ...last, content: [...last.content.slice(0, -1), { text: block.text.trimEnd() }] };
  return [...turns.slice(0, -1), trimmed];
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
