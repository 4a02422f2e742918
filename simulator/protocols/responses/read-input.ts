import { BadRequest } from "../../ask.ts";
import { addAnswerTurn, addUserTurn, type Conversation, emptyConversation } from "../../conversation.ts";
import { checkSealMark } from "../../seal.ts";
import { imageFromUrl, isObject, type Json, objectsOf, textOf } from "../read.ts";
import { checkCompaction, textOfCompaction } from "./compaction.ts";

interface ReadInput extends Conversation {
  /** Calls that the input holds so far: an output must answer one of them. */
  readonly calls: Set<string>;
}

/** Reads `instructions` and `input`; a text is one user message. */
export function readInput(body: Json): ReadInput {
  const read: ReadInput = { ...emptyConversation(), calls: new Set() };
  if (typeof body.instructions === "string") read.prompt.push(body.instructions);
  if (typeof body.input === "string") {
    addUserTurn(read, [body.input]);
    return read;
  }
  if (body.input !== undefined && !Array.isArray(body.input)) {
    throw new BadRequest("Invalid type for 'input': expected a string or a list of input items.", "input");
  }
  const continued = typeof body.previous_response_id === "string";
  const items = objectsOf(body.input);
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    if (checkCompaction(item, at, index === items.length - 1)) readItem(item, { at, read, continued });
    const compacted = textOfCompaction(item);
    if (compacted !== null) read.turns.push({ role: "user", text: compacted, calls: 0 });
  }
  return read;
}

interface ItemPlace {
  readonly at: string;
  readonly read: ReadInput;
  /** Whether the vendor has stored earlier items, so that an output may answer a call that is not in the input. */
  readonly continued: boolean;
}

function readItem(item: Json, place: ItemPlace): void {
  const { read, at } = place;
  const type = item.type ?? "message";
  if (type === "message") return readMessage(item, place);
  if (type === "function_call" || type === "custom_tool_call") return readCall(item, place);
  if (type === "function_call_output" || type === "custom_tool_call_output") return readOutput(item, place);
  if (type === "reasoning") {
    read.prompt.push(...objectsOf(item.summary).map(({ text }) => textOf(text)));
    if (item.encrypted_content !== undefined && item.encrypted_content !== null) {
      checkSealMark(item.encrypted_content, `${at}.encrypted_content`);
    }
    return;
  }
  // A search by the vendor itself has no content beyond its answer; the tools that Codex adds have none either.
  if (type !== "item_reference" && type !== "web_search_call" && type !== "additional_tools")
    throw new BadRequest(`Invalid value: '${String(type)}' in '${at}.type'.`, `${at}.type`);
}

const ROLES = ["user", "assistant", "system", "developer"];

function readMessage(item: Json, { at, read }: ItemPlace): void {
  const role = textOf(item.role);
  if (!ROLES.includes(role)) {
    throw new BadRequest(`Invalid value: '${role}'. Supported values are: ${ROLES.join(", ")}.`, `${at}.role`);
  }
  const text = readContent(item.content, { at, read, continued: false });
  if (role === "assistant") read.tool_results = [];
  if (role === "user") addUserTurn(read, [text]);
  else if (role === "assistant") addAnswerTurn(read, [text], 0);
  else read.prompt.push(text);
}

function readContent(content: unknown, { at, read }: ItemPlace): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const [index, part] of objectsOf(content).entries()) {
    const where = `${at}.content[${index}]`;
    if (part.type === "input_text" || part.type === "output_text" || part.type === "text") text += textOf(part.text);
    else if (part.type === "refusal") text += textOf(part.refusal);
    else if (part.type === "input_image") read.images.push(imageFromUrl(part.image_url, `${where}.image_url`));
    else if (part.type !== "input_file") throw new BadRequest(`Invalid value in '${where}.type'.`, `${where}.type`);
  }
  return text;
}

function readCall(item: Json, { read }: ItemPlace): void {
  read.calls.add(textOf(item.call_id));
  read.turns.push({ role: "assistant", text: "", calls: 1 });
  read.prompt.push(textOf(item.name), textOf(item.arguments ?? item.input));
  read.tool_results = [];
}

function readOutput(item: Json, place: ItemPlace): void {
  const { at, read, continued } = place;
  const call_id = textOf(item.call_id);
  if (!continued && !read.calls.has(call_id)) {
    throw new BadRequest(`No tool call found for the output with call_id '${call_id}'.`, `${at}.call_id`);
  }
  const text = isObject(item.output) ? JSON.stringify(item.output) : readContent(item.output, place);
  read.prompt.push(text);
  read.tool_results.push({ call_id, text });
}
