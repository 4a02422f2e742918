import { type AskedImage, BadRequest } from "../../ask.ts";
import { addAnswerTurn, addUserTurn, type Conversation, emptyConversation } from "../../conversation.ts";
import { isSealMark } from "../../seal.ts";
import { imageFromBase64, imageFromUrl, isObject, type Json, objectsOf, requireObjects, textOf } from "../read.ts";
import { missingSignature, UNSIGNED } from "../strictness.ts";
import { checkKnown, KNOWN } from "./known-fields.ts";

/** The checks that the requested model makes. */
interface Strictness {
  readonly vertex: boolean;
  /** Whether each row of calls after the last question must carry the signature that came with it. */
  readonly signed_calls: boolean;
}

interface ContentPlace {
  readonly at: string;
  /** The content's place among all, from 1, as the API's errors count. */
  readonly position: number;
  readonly parts: readonly Json[];
}

/** Reads the conversation and throws BadRequest when the real vendor would refuse it. */
export function readContents(body: Json, strictness: Strictness): Conversation {
  const read = emptyConversation();
  const instruction = isObject(body.systemInstruction) ? objectsOf(body.systemInstruction.parts) : [];
  for (const part of instruction) read.prompt.push(textOf(part.text));
  const contents = requireObjects(body, "contents");
  checkFirst(contents[0]);
  const question = lastQuestion(contents);
  let open_calls: readonly Json[] = [];
  for (const [index, content] of contents.entries()) {
    const turn = { at: `contents[${index}]`, position: index + 1, parts: requireObjects(content, "parts") };
    for (const [nth, part] of turn.parts.entries()) checkPart(part, `${turn.at}.parts[${nth}]`, strictness);
    if (content.role === "model") {
      open_calls = readModel(turn, read, strictness.signed_calls && index > question);
    } else if (content.role === "user" || content.role === undefined) {
      readUser(turn, read, open_calls);
      open_calls = [];
    } else throw new BadRequest("Please use a valid role: user, model.");
  }
  return read;
}

/** Refuses a conversation that does not begin with the user. */
function checkFirst(first: Json | undefined): void {
  if (first?.role !== "model") return;
  const calls = objectsOf(first.parts).some((part) => isObject(part.functionCall));
  throw new BadRequest(
    calls
      ? "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
      : "Please ensure that multiturn requests alternate between user and model.",
  );
}

/** The index of the last user content without tool results; the contents after it are the current turn. */
function lastQuestion(contents: readonly Json[]): number {
  return contents.findLastIndex(
    ({ role, parts }) => role !== "model" && !objectsOf(parts).some((part) => "functionResponse" in part),
  );
}

function checkPart(part: Json, at: string, { vertex }: Strictness): void {
  checkKnown(part, KNOWN.part, at);
  if (isObject(part.functionCall)) {
    checkKnown(part.functionCall, vertex ? KNOWN.vertex_call : KNOWN.call, `${at}.function_call`);
  }
  if (isObject(part.functionResponse)) {
    checkKnown(part.functionResponse, vertex ? KNOWN.vertex_response : KNOWN.response, `${at}.function_response`);
  }
  if (part.text === "" && part.thoughtSignature === undefined) {
    throw new BadRequest(`Unable to submit request because ${at} must have a text that is not empty.`);
  }
  if (part.thoughtSignature !== undefined && part.thoughtSignature !== UNSIGNED) {
    if (!isSealMark(part.thoughtSignature)) throw new BadRequest("Corrupted thought signature.");
  }
}

function readUser({ at, parts }: ContentPlace, read: Conversation, open_calls: readonly Json[]): void {
  const results = parts.filter((part) => isObject(part.functionResponse)).map((part) => part.functionResponse as Json);
  if (results.length !== open_calls.length) {
    throw new BadRequest(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  }
  const texts: string[] = [];
  for (const part of parts) {
    if (typeof part.text === "string") texts.push(part.text);
    else readMedia(part, read.images, at);
  }
  if (results.length > 0) read.tool_results = [];
  for (const [index, result] of results.entries()) readResult(result, open_calls[index] ?? {}, { at, read });
  addUserTurn(read, texts);
}

function readMedia(part: Json, images: AskedImage[], at: string): void {
  const { inlineData, fileData } = part;
  if (isObject(inlineData)) {
    const type = textOf(inlineData.mimeType);
    if (type === "") throw new BadRequest(`${at}: inline_data.mime_type must not be empty.`);
    if (type.startsWith("image/")) images.push(imageFromBase64(type, textOf(inlineData.data)));
  }
  if (isObject(fileData) && textOf(fileData.mimeType).startsWith("image/")) {
    images.push(imageFromUrl(fileData.fileUri, `${at}.file_data.file_uri`));
  }
}

function readResult(
  result: Json,
  call: Json,
  { at, read }: { readonly at: string; readonly read: Conversation },
): void {
  if (result.name !== call.name) {
    throw new BadRequest(`${at}: the function response '${textOf(result.name)}' does not match the call before it.`);
  }
  const response = isObject(result.response) ? result.response : {};
  const said = response.output ?? response.error ?? response;
  const text = typeof said === "string" ? said : JSON.stringify(said);
  for (const part of objectsOf(result.parts)) readMedia(part, read.images, at);
  read.prompt.push(text);
  read.tool_results.push({ call_id: textOf(result.id), text });
}

/** Reads a turn of the model; returns its calls. */
function readModel({ position, parts }: ContentPlace, read: Conversation, must_be_signed: boolean): Json[] {
  const calls: Json[] = [];
  const texts: string[] = [];
  read.tool_results = [];
  for (const part of parts) {
    if (typeof part.text === "string" && part.thought !== true) texts.push(part.text);
    if (!isObject(part.functionCall)) continue;
    if (must_be_signed && calls.length === 0 && part.thoughtSignature === undefined) {
      throw new BadRequest(missingSignature(textOf(part.functionCall.name), position));
    }
    calls.push(part.functionCall);
    read.prompt.push(textOf(part.functionCall.name), JSON.stringify(part.functionCall.args ?? {}));
  }
  addAnswerTurn(read, texts, calls.length);
  return calls;
}
