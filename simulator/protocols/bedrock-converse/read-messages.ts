import { BadRequest } from "../../ask.ts";
import { addAnswerTurn, addUserTurn, type Conversation, emptyConversation } from "../../conversation.ts";
import { checkSeal, checkSealMark } from "../../seal.ts";
import { imageFromBase64, isObject, type Json, objectsOf, requireObjects, textOf } from "../read.ts";

interface ReadMessages extends Conversation {
  /** Whether any message holds a call or a result. */
  has_tool_blocks: boolean;
  readonly document_names: Set<string>;
}

interface MessagePlace {
  readonly at: string;
  readonly read: ReadMessages;
  /** Calls of the previous turn; this turn must answer all of them. */
  readonly open_calls: readonly string[];
}

/** Reads `system` and `messages`, and throws BadRequest when the real vendor would refuse them. */
export function readMessages(body: Json): ReadMessages {
  const read: ReadMessages = { ...emptyConversation(), has_tool_blocks: false, document_names: new Set() };
  for (const [index, block] of objectsOf(body.system).entries()) readText(block, `system.${index}`, read.prompt);
  const messages = requireObjects(body, "messages");
  if (messages[0]?.role !== "user")
    throw new BadRequest(
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    );
  let open_calls: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === messages[index - 1]?.role) {
      throw new BadRequest(
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates.",
      );
    }
    const turn: MessagePlace = { at: `messages.${index}.content`, read, open_calls };
    const blocks = requireObjects(message, "content");
    if (message.role === "user") {
      readUser(blocks, turn);
      open_calls = [];
    } else if (message.role === "assistant") open_calls = readAssistant(blocks, turn);
    else throw new BadRequest(`messages.${index}.role: must be user or assistant.`);
  }
  return read;
}

function readText(block: Json, at: string, texts: string[]): void {
  if (block.text === undefined) return;
  if (textOf(block.text).trim() === "")
    throw new BadRequest(`The text field in the ContentBlock object at ${at} is blank.`);
  texts.push(textOf(block.text));
}

function readUser(blocks: readonly Json[], { at, read, open_calls }: MessagePlace): void {
  const answered = new Set<string>();
  const texts: string[] = [];
  read.tool_results = [];
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.${index}`;
    readText(block, where, texts);
    readMedia(block, where, read);
    checkCachePoint(block, index, where);
    if (isObject(block.toolResult)) answered.add(readResult(block.toolResult, { at: where, read, open_calls }));
    if (isObject(block.toolUse) || isObject(block.reasoningContent))
      throw new BadRequest(`${where}: not expected here.`);
  }
  const missing = open_calls.find((id) => !answered.has(id));
  if (missing !== undefined) {
    throw new BadRequest(`Expected toolResult blocks at ${at} for the following Ids: ${missing}`);
  }
  addUserTurn(read, texts);
}

function readResult(result: Json, { at, read, open_calls }: MessagePlace): string {
  const call_id = textOf(result.toolUseId);
  read.has_tool_blocks = true;
  if (!open_calls.includes(call_id)) {
    throw new BadRequest("The number of toolResult blocks exceeds the number of toolUse blocks of previous turn.");
  }
  const texts: string[] = [];
  for (const [index, part] of requireObjects(result, "content").entries()) {
    readText(part, `${at}.toolResult.content.${index}`, texts);
    readMedia(part, `${at}.toolResult.content.${index}`, read);
  }
  const text = texts.join("");
  read.prompt.push(text);
  read.tool_results.push({ call_id, text });
  return call_id;
}

function readMedia(block: Json, at: string, read: ReadMessages): void {
  if (isObject(block.image)) {
    const { format, source } = block.image;
    if (!["png", "jpeg", "gif", "webp"].includes(textOf(format)))
      throw new BadRequest(`${at}.image.format is not valid.`);
    if (!isObject(source) || typeof source.bytes !== "string")
      throw new BadRequest(`${at}.image.source: bytes required.`);
    read.images.push(imageFromBase64(`image/${textOf(format)}`, source.bytes));
  }
  if (isObject(block.document)) checkDocumentName(textOf(block.document.name), read.document_names);
}

function checkDocumentName(name: string, taken: Set<string>): void {
  if (!/^[A-Za-z0-9()[\]-]+( [A-Za-z0-9()[\]-]+)*$/.test(name) || name.length > 200) {
    throw new BadRequest(
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.",
    );
  }
  if (taken.has(name)) throw new BadRequest("The model does not support duplicate document names.");
  taken.add(name);
}

function checkCachePoint(block: Json, index: number, at: string): void {
  if (isObject(block.cachePoint) && index === 0) {
    throw new BadRequest(
      `${at}: There is nothing available to cache. Please remove the invalid cache point and try again.`,
    );
  }
}

/** Reads an assistant turn; returns the ids of its calls. */
function readAssistant(blocks: readonly Json[], { at, read }: MessagePlace): string[] {
  const calls: string[] = [];
  const texts: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.${index}`;
    readText(block, where, texts);
    checkCachePoint(block, index, where);
    if (isObject(block.reasoningContent)) checkReasoning(block.reasoningContent, where);
    if (!isObject(block.toolUse)) continue;
    const { toolUseId, name, input } = block.toolUse;
    if (!/^[A-Za-z0-9_.:-]{1,64}$/.test(textOf(toolUseId)))
      throw new BadRequest(`${where}.toolUse.toolUseId is not valid.`);
    if (!isObject(input)) throw new BadRequest(`The value at ${where}.toolUse.input is not a JSON object.`);
    read.has_tool_blocks = true;
    calls.push(textOf(toolUseId));
    read.prompt.push(textOf(name), JSON.stringify(input));
  }
  addAnswerTurn(read, texts, calls.length);
  return calls;
}

function checkReasoning({ reasoningText, redactedContent }: Json, at: string): void {
  if (isObject(reasoningText)) checkSeal(reasoningText.signature, textOf(reasoningText.text), `${at}.reasoningContent`);
  else checkSealMark(redactedContent, `${at}.reasoningContent`);
}
