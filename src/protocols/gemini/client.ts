import type { ClientProtocol, ClientRequest } from "../../core/answer/exchange.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";
import { chargedMembers } from "../shared/charged-members.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import { styleCError } from "../shared/error-styles.ts";
import { inputBound } from "../shared/input-bound.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-json.ts";
import { ADDRESS } from "./addressed-body.ts";
import { AnswerFrames } from "./answer-frames.ts";
import { canonicalBody } from "./canonical-body.ts";
import { GEMINI_CHARGES } from "./charge-table.ts";
import { type GeminiPart, GenerateContentRequest } from "./wire-request.ts";

/** Checks what the schema of a request leaves open: that there is something to answer, and that each part says one thing. */
function checkContents({ contents, systemInstruction }: GenerateContentRequest): void {
  for (const [turn, { parts, role }] of contents.entries()) {
    if (role === "system") throw fault(`contents[${turn}].role`, '"system"', SYSTEM_PLACE);
    for (const [at, part] of (parts ?? []).entries()) checkPart(part, `contents[${turn}].parts[${at}]`);
  }
  const says_something = contents.some(({ parts }) => (parts ?? []).length > 0);
  if (!says_something) throw fault("contents", "without any part", "a turn with at least one part");
  for (const [at, part] of (systemInstruction?.parts ?? []).entries()) {
    const place = `systemInstruction.parts[${at}]`;
    if (typeof part.text !== "string") throw fault(place, "no text", "a text");
  }
}

const SYSTEM_PLACE = '"user" or "model", and instructions in \'systemInstruction\'';
const DATA = ["text", "inlineData", "fileData", "functionCall", "functionResponse"] as const;

function checkPart(part: GeminiPart, place: string): void {
  const said = DATA.filter((name) => (part[name] ?? null) !== null);
  if (said.length > 1)
    throw fault(place, `a part with ${said.map((name) => `'${name}'`).join(" and ")}`, "one of them");
}

function fault(place: string, found: string, allowed: string): GatewayError {
  return invalidRequest(`'${place}' is ${found}; allowed: ${allowed}.`, place);
}

const check: BodyCheck<GenerateContentRequest> = compileBodyCheck(GenerateContentRequest, () => "invalid_request");

/**
 * White space, which the readers of both forms of a stream pass over. Google's Python client takes each line of an event stream that has
 * something else, such as a comment, for a part of an answer.
 */
const BEAT = Buffer.from("\n");

/** The client protocol of `generateContent` and of `streamGenerateContent?alt=sse` (docs/api.md 4.14). */
export const geminiClient: ClientProtocol = {
  protocol: "gemini",
  error_style: "c",
  endpoint: "generateContent",
  kind: "chat",
  general_error: "invalid_request",
  beat: BEAT,
  failedStream: (error) => Buffer.from(new AnswerFrames(false).only(styleCError(error))),
  readRequest: (text) => readRequest(text),
};

/** The same without `alt=sse`: the stream is one JSON array. */
export const geminiArrayClient: ClientProtocol = {
  ...geminiClient,
  stream_type: "application/json",
  failedStream: (error) => Buffer.from(new AnswerFrames(true).only(styleCError(error))),
};

function readRequest(sent: string): ClientRequest {
  const parsed = parseBody(sent);
  // A member that is named twice is refused before anything is written anew.
  let members = findMembers(sent);
  const { text, body } = canonicalBody(sent, parsed);
  if (text !== sent) members = findMembers(text);
  checkBounds(text, body);
  check(body);
  checkContents(body);
  const { model, stream } = body[ADDRESS];
  const config = body.generationConfig ?? {};
  return {
    protocol: "gemini",
    model,
    stream,
    output_cap: config.maxOutputTokens ?? null,
    choices: config.candidateCount ?? 1,
    input_bound_tokens: inputBound(text, [body.systemInstruction, body.contents], (body.tools ?? []).length > 0),
    text,
    body,
    members,
    charged: chargedMembers(body, GEMINI_CHARGES),
  };
}

/** Throws where a body has more turns, parts, tools or stop sequences than a request may have (docs/api.md 8). */
function checkBounds(text: string, body: JsonRecord): void {
  const code = "invalid_request";
  refuseMore(body.contents, { bound: "messages", place: "contents", of: "turns", code });
  refuseMore(body.tools, { bound: "tools", place: "tools", of: "tools", code });
  refuseMoreBlocks(text, body.contents, ["parts", "functionResponse"], { place: "contents", code });
  const { tools, generationConfig } = body as {
    tools?: unknown;
    generationConfig?: { stopSequences?: unknown } | null;
  };
  refuseMore(generationConfig?.stopSequences, {
    ...{ bound: "stop_sequences", place: "generationConfig.stopSequences", of: "stop sequences", code },
  });
  if (!Array.isArray(tools)) return;
  const declared: readonly unknown[] = tools.flatMap((tool: { functionDeclarations?: unknown } | null) =>
    Array.isArray(tool?.functionDeclarations) ? tool.functionDeclarations : [],
  );
  refuseMore(declared, { bound: "tools", place: "tools", of: "functions", code });
}
