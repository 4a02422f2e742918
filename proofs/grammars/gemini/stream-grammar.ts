import { type Fields, isCount, isFields, isFullString, parseObject, quote } from "../grammar-values.ts";

/**
 * The grammar of Gemini's streams as clients receive them (docs/api.md 6.4), in the form of events. It imports nothing outside the
 * grammar, so that it can judge any deployment from outside. Empty lines may stand between any two objects.
 */

/** How a legal stream ended: with a reason, or with an error after it had begun. */
export type GeminiStreamEnd = "stop" | "error";

/** The first thing wrong with a stream. */
export interface GeminiStreamViolation {
  /** The index of the frame, from 0. */
  readonly frame: number;
  readonly problem: string;
}

/** Judges a whole stream, as the text of the body. */
export function checkGeminiStream(stream: string): { readonly end: GeminiStreamEnd } | GeminiStreamViolation {
  const frames = stream.split("\n\n").map((frame) => frame.replace(/^\n+/, ""));
  const rest = frames.pop();
  const grammar = new GeminiGrammar();
  const said = frames.filter((frame) => frame !== "");
  for (const [frame, text] of said.entries()) {
    const problem = grammar.take(text);
    if (problem !== null) return { frame, problem };
  }
  if (rest !== "") return { frame: said.length, problem: `the stream ends within a frame: ${quote(rest)}` };
  const problem = grammar.fault;
  return problem === null ? { end: grammar.end } : { frame: said.length, problem };
}

class GeminiGrammar {
  end: GeminiStreamEnd = "stop";
  #has_ended = false;
  #names: Fields | null = null;
  #usage: unknown = null;

  /** What the whole stream lacks, or null. */
  get fault(): string | null {
    if (this.end === "error") return null;
    if (!this.#has_ended) return "the stream ends without a finishReason, a block of the prompt or an error";
    return isFields(this.#usage) ? null : "the last object has no usageMetadata";
  }

  /** The fault of the next frame, or null. */
  take(frame: string): string | null {
    const [, json = ""] = /^data: (?! )([^\n]+)$/.exec(frame) ?? [];
    if (json === "") return `not one line of 'data: ': ${quote(frame)}`;
    const object = parseObject(json);
    if (object === null) return `the data is no JSON object: ${quote(json)}`;
    if (this.end === "error") return "an object follows the error";
    if (object.error !== undefined) {
      if (this.#names === null) return "an error before the answer starts belongs into the status";
      this.end = "error";
      return checkError(object.error);
    }
    return this.#answer(object);
  }

  #answer(object: Fields): string | null {
    const { modelVersion, responseId, usageMetadata, candidates = [], promptFeedback } = object;
    if (!isFullString(modelVersion) || !isFullString(responseId)) return "modelVersion or responseId is no name";
    this.#names ??= { modelVersion, responseId };
    if (this.#names.modelVersion !== modelVersion) return `the model's name changes to ${quote(modelVersion)}`;
    if (!Array.isArray(candidates)) return `'candidates' is ${quote(candidates)}, no array`;
    for (const candidate of candidates) {
      const problem = this.#candidate(candidate);
      if (problem !== null) return problem;
    }
    this.#has_ended ||= isFields(promptFeedback) && isFullString(promptFeedback.blockReason);
    this.#usage = usageMetadata ?? null;
    return usageMetadata === undefined ? null : checkUsage(usageMetadata);
  }

  #candidate(candidate: unknown): string | null {
    if (!isFields(candidate)) return `a candidate is ${quote(candidate)}`;
    const { content, finishReason } = candidate;
    if (finishReason !== undefined && !isFullString(finishReason)) return `'finishReason' is ${quote(finishReason)}`;
    this.#has_ended ||= finishReason !== undefined;
    if (content === undefined) return null;
    if (!isFields(content)) return `'content' is ${quote(content)}`;
    const { parts = [], role = "model" } = content;
    if (role !== "model") return `'role' is ${quote(role)}`;
    if (!Array.isArray(parts)) return `'parts' is ${quote(parts)}`;
    for (const part of parts) {
      const problem = checkPart(part);
      if (problem !== null) return problem;
    }
    return null;
  }
}

function checkPart(part: unknown): string | null {
  if (!isFields(part) || Object.keys(part).length === 0) return `a part is ${quote(part)}`;
  const { text, functionCall, thoughtSignature, thought } = part;
  if (text !== undefined && typeof text !== "string") return `'text' is ${quote(text)}`;
  if (thought !== undefined && typeof thought !== "boolean") return `'thought' is ${quote(thought)}`;
  if (thoughtSignature !== undefined && typeof thoughtSignature !== "string")
    return `'thoughtSignature' is ${quote(thoughtSignature)}`;
  if (functionCall === undefined) return null;
  if (!isFields(functionCall)) return `'functionCall' is ${quote(functionCall)}`;
  const { name, args = {}, id = "" } = functionCall;
  if (typeof name !== "string") return `the call's name is ${quote(name)}`;
  if (typeof id !== "string") return `the call's id is ${quote(id)}`;
  return isFields(args) ? null : `the call's 'args' are ${quote(args)}`;
}

const COUNTS = [
  ...["promptTokenCount", "candidatesTokenCount", "totalTokenCount", "thoughtsTokenCount", "cachedContentTokenCount"],
  "toolUsePromptTokenCount",
];

function checkUsage(usage: unknown): string | null {
  if (!isFields(usage)) return `'usageMetadata' is ${quote(usage)}`;
  const wrong = COUNTS.find((name) => usage[name] !== undefined && !isCount(usage[name]));
  return wrong === undefined ? null : `'usageMetadata.${wrong}' is ${quote(usage[wrong])}`;
}

function checkError(error: unknown): string | null {
  if (!isFields(error)) return `'error' is ${quote(error)}`;
  const { code, message, status } = error;
  if (!isCount(code) || code < 400) return `the error's code is ${quote(code)}`;
  return isFullString(message) && isFullString(status) ? null : "the error has no message or no status";
}
