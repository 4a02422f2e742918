import { type AskedImage, BadRequest } from "../../ask.ts";
import { addAnswerTurn, addUserTurn, type Conversation, emptyConversation } from "../../conversation.ts";
import type { ModelName } from "../../model-name.ts";
import { checkSeal, checkSealMark } from "../../seal.ts";
import { imageFromBase64, imageFromUrl, isObject, type Json, objectsOf, requireObjects, textOf } from "../read.ts";
import { checkThinking, wantsUnsignedThinking } from "../strictness.ts";
import { checkSystemMessages } from "./check-system-messages.ts";

/** A message's content blocks; a text is one text block. */
function blocksOf(content: unknown): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
}

/**
 * The requests that a model accepts, by the parameters of its name. Anthropic's API accepts a conversation that begins with the
 * assistant; vendors with its older rules do not (`@user_first=1`). `@mid_system=1` accepts system messages amid the
 * conversation, as Claude does from Opus 4.8 on; `@documents=0` knows no document blocks.
 */
interface Abilities {
  readonly mid_system: boolean;
  readonly user_first: boolean;
  readonly documents: boolean;
}

function abilitiesOf({ params }: ModelName): Abilities {
  return {
    mid_system: params.text("mid_system", "0") === "1",
    user_first: params.text("user_first", "0") === "1",
    documents: params.text("documents", "1") === "1",
  };
}

/** Reads `system` and `messages`, and throws BadRequest when the real vendor would refuse them. */
export function readMessages(body: Json, model: ModelName): Conversation {
  const abilities = abilitiesOf(model);
  const read = emptyConversation();
  for (const block of blocksOf(body.system)) read.prompt.push(textOf(block.text));
  const messages = requireObjects(body, "messages");
  checkSystemMessages(messages, abilities.mid_system);
  if (abilities.user_first && messages[0]?.role !== "user") {
    throw new BadRequest('messages: first message must use the "user" role');
  }
  if (!abilities.documents) refuseDocuments(messages);
  let open_calls: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    const blocks = blocksOf(message.content);
    checkTexts(blocks);
    if (message.role === "system") {
      for (const block of blocks) read.prompt.push(textOf(block.text));
    } else if (message.role === "user") {
      readUser(blocks, { at, read, open_calls });
      open_calls = [];
    } else if (message.role === "assistant") {
      open_calls = readAssistant(blocks, at, { read, unsigned: wantsUnsignedThinking(model) });
    } else {
      throw new BadRequest(`${at}.role: Input should be 'user' or 'assistant'`);
    }
  }
  return read;
}

function checkTexts(blocks: readonly Json[]): void {
  if (blocks.some(({ type, text }) => type === "text" && text === "")) {
    throw new BadRequest("messages: text content blocks must be non-empty");
  }
}

/** Refuses document blocks, in the words of an API that does not have them. */
function refuseDocuments(messages: readonly Json[]): void {
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message.content);
    const parts = blocks.flatMap((block) => (block.type === "tool_result" ? blocksOf(block.content) : [block]));
    if (parts.some(({ type }) => type === "document")) {
      throw new BadRequest(
        `messages.${index}.content: Input tag 'document' found using 'type' does not match any of the expected tags`,
      );
    }
  }
}

interface MessagePlace {
  readonly at: string;
  readonly read: Conversation;
  /** Tool calls of the previous turn; this turn must answer all of them. */
  readonly open_calls: readonly string[];
}

function readUser(blocks: readonly Json[], { at, read, open_calls }: MessagePlace): void {
  const answered = new Set<string>();
  const texts: string[] = [];
  read.tool_results = [];
  let after_text = false;
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "tool_result") after_text = true;
    else if (after_text && open_calls.length > 0) throw notFirst(at, open_calls);
    if (block.type === "text") texts.push(textOf(block.text));
    else if (block.type === "image") read.images.push(readImage(block, `${at}.content.${index}.image`));
    else if (block.type === "document") checkDocument(block, `${at}.content.${index}.document`);
    else if (block.type === "tool_result") answered.add(readResult(block, { at, read, open_calls }));
    else throw new BadRequest(`${at}.content.${index}: Input tag '${String(block.type)}' is not expected here`);
  }
  const missing = open_calls.filter((id) => !answered.has(id));
  if (missing.length > 0) throw notFirst(at, missing);
  addUserTurn(read, texts);
}

/** Tool results must come right after their calls, before anything else. */
function notFirst(at: string, calls: readonly string[]): BadRequest {
  const ids = calls.join(", ");
  return new BadRequest(
    `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function readResult(block: Json, { at, read, open_calls }: MessagePlace): string {
  const call_id = textOf(block.tool_use_id);
  if (!open_calls.includes(call_id)) {
    throw new BadRequest(`${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${call_id}.`);
  }
  const parts = blocksOf(block.content);
  checkTexts(parts);
  for (const part of parts) {
    if (part.type === "image") read.images.push(readImage(part, `${at}.tool_result.image`));
    if (part.type === "document") checkDocument(part, `${at}.tool_result.document`);
  }
  const text = parts.map((part) => textOf(part.text)).join("");
  read.prompt.push(text);
  read.tool_results.push({ call_id, text });
  return call_id;
}

function readImage(block: Json, at: string): AskedImage {
  const source = isObject(block.source) ? block.source : {};
  if (source.type === "base64") return imageFromBase64(textOf(source.media_type), textOf(source.data));
  if (source.type === "url") return imageFromUrl(source.url, `${at}.source.url`);
  throw new BadRequest(`${at}.source: Input tag '${String(source.type)}' is not one of 'base64', 'url'`);
}

/** Checks a document: a PDF by value or by reference, or plain text; its content does not count as input. */
function checkDocument(block: Json, at: string): void {
  const source = isObject(block.source) ? block.source : {};
  const is_pdf = source.type === "base64" && source.media_type === "application/pdf";
  const is_text = source.type === "text" && source.media_type === "text/plain";
  const is_file = source.type === "file" && textOf(source.file_id) !== "";
  const is_content = source.type === "content" && (typeof source.content === "string" || Array.isArray(source.content));
  if (is_file || is_content) return;
  if (is_pdf || is_text) {
    if (textOf(source.data) === "") throw new BadRequest(`${at}.source.data: Field required`);
  } else if (source.type !== "url" || textOf(source.url) === "") {
    throw new BadRequest(`${at}.source: Input tag '${String(source.type)}' is not one of 'base64', 'text', 'url'`);
  }
}

interface AnswerReading {
  readonly read: Conversation;
  /** Whether the model wants thinking beside calls, without a signature. */
  readonly unsigned: boolean;
}

/** Reads an assistant turn; returns the ids of its tool calls. */
function readAssistant(blocks: readonly Json[], at: string, { read, unsigned }: AnswerReading): string[] {
  if (unsigned) checkThinking(blocks);
  const calls: string[] = [];
  const texts: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.content.${index}`;
    if (block.type === "text") texts.push(textOf(block.text));
    else if (block.type === "thinking" && unsigned) read.prompt.push(textOf(block.thinking));
    else if (block.type === "thinking") checkSeal(block.signature, textOf(block.thinking), `${where}.thinking`);
    else if (block.type === "redacted_thinking") checkSealMark(block.data, `${where}.redacted_thinking`);
    else if (block.type === "tool_use") {
      calls.push(textOf(block.id));
      read.prompt.push(textOf(block.name), JSON.stringify(block.input ?? {}));
    } else throw new BadRequest(`${where}: Input tag '${String(block.type)}' is not expected here`);
  }
  addAnswerTurn(read, texts, calls.length);
  return calls;
}
