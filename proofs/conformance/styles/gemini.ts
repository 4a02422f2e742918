import { checkGeminiStream } from "../../grammars/gemini/stream-grammar.ts";
import { type Answer, brokenAnswer, type End, type Usage } from "../answer.ts";
import {
  countAt,
  type Fields,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  optionalCount,
  parseFields,
  textAt,
} from "../read-fields.ts";
import { demand, quote } from "../violation.ts";
import { dataOf } from "./data-frames.ts";
import { geminiBody } from "./gemini-body.ts";
import type { Style } from "./style.ts";

export const gemini: Style = {
  path: ({ model, stream }) =>
    `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  headers: {},
  body: geminiBody,
  readWhole: (text) => readAnswer([parseFields(text, "the body")]),
  readStream,
  readError,
};

function readStream(text: string): Answer {
  const verdict = checkGeminiStream(text);
  demand("end" in verdict, "problem" in verdict ? `frame ${verdict.frame}: ${verdict.problem}` : "");
  const objects = dataOf(text);
  return verdict.end === "error" ? brokenAnswer(nameAt(objects[0] ?? {}, "modelVersion")) : readAnswer(objects);
}

/** Style C's error object (docs/api.md 2.10). */
function readError(body: Fields): string {
  const error = fieldsAt(body, "error");
  countAt(error, "code");
  nameAt(error, "status");
  return nameAt(error, "message");
}

/** Reads the objects of an answer, as clients join them. */
function readAnswer(objects: readonly Fields[]): Answer {
  const last = objects.at(-1) ?? {};
  nameAt(last, "responseId");
  const candidates = objects.map((object) => listAt(object, "candidates"));
  const firsts = candidates.flatMap(([first]) => (first === undefined ? [] : [first]));
  const parts = firsts
    .filter(({ index = 0 }) => index === 0)
    .flatMap((candidate) => listAt(fieldsAt(candidate, "content"), "parts"));
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  const join = (thought: boolean) =>
    parts
      .filter((part) => part.text !== undefined && (part.thought === true) === thought)
      .map((part) => textAt(part, "text"))
      .join("");
  return {
    model: nameAt(last, "modelVersion"),
    text: join(false),
    refusal: "",
    reasoning: join(true),
    seals: parts.filter(({ thoughtSignature }) => typeof thoughtSignature === "string").length,
    calls: calls.map((part) => {
      const call = fieldsAt(part, "functionCall");
      return {
        id: nameAt(call, "id"),
        name: nameAt(call, "name"),
        input: JSON.stringify(call.args ?? {}),
        custom: false,
      };
    }),
    end: endOf(firsts.findLast(({ finishReason }) => finishReason !== undefined)?.finishReason, calls.length > 0),
    stop_sequence: null,
    usage: readUsage(fieldsAt(last, "usageMetadata")),
    logprobs: firsts.reduce((sum, candidate) => sum + logprobsIn(candidate), 0),
    choices: new Set(candidates.flat().map(({ index }) => index ?? 0)).size,
    native: parts,
  };
}

const ENDS: Readonly<Record<string, End>> = { STOP: "stop", MAX_TOKENS: "length", SAFETY: "filter" };

function endOf(reason: unknown, has_calls: boolean): End {
  const end = ENDS[String(reason)];
  demand(end !== undefined, `'finishReason' is ${quote(reason)}`);
  return end === "stop" && has_calls ? "tool_calls" : end;
}

function logprobsIn({ logprobsResult }: Fields): number {
  return isFields(logprobsResult) ? listAt(logprobsResult, "chosenCandidates").length : 0;
}

/** The prompt includes all cached tokens, and what was written to a cache is not counted apart; thoughts are beside the candidates. */
function readUsage(usage: Fields): Usage {
  const cache_read_tokens = optionalCount(usage, "cachedContentTokenCount");
  const reasoning_tokens = optionalCount(usage, "thoughtsTokenCount");
  return {
    input_tokens: countAt(usage, "promptTokenCount") - cache_read_tokens,
    cache_read_tokens,
    cache_write_tokens: null,
    output_tokens: countAt(usage, "candidatesTokenCount") + reasoning_tokens,
    reasoning_tokens,
  };
}
