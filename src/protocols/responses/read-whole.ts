import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { textOf } from "../../core/sent-body.ts";
import type { Usage } from "../../core/usage.ts";
import { bodyWriter, REPEATED_MEMBER, type SentAnswer, type WriteBody } from "../shared/rewrite-answer.ts";
import { readFailure } from "./failure.ts";
import { correctedUsage, readUsage, writeUsage } from "./read-usage.ts";
import { parseJson } from "../shared/parse-json.ts";

/**
 * Reads a response that arrived in one piece. Never throws: anything but a finished response is a failure. `previous`
 * is the stored response that the client continued from; its id is put into the answer because the vendor does not know
 * it.
 */
export function readWholeResponse(sent: WholeBody, model_id: string, previous: string | null = null): WholeAnswer {
  const text = textOf(sent);
  const response = parse(text);
  const failure = failureOf(response);
  const raw_usage = isObject(response) && isObject(response.usage) ? response.usage : null;
  const usage = raw_usage === null ? null : readUsage(raw_usage, isObject(response) ? response.output : null);
  const write =
    failure === null && isObject(response)
      ? writerOf({ sent, text, answer: response }, model_id, previous)
      : () => sent;
  const corrected = raw_usage === null || usage === null ? null : correctedUsage(raw_usage, usage);
  const bodyWith = (billed: Usage | null, cost?: string): SentBody =>
    write?.(billed === null ? (corrected ?? undefined) : { ...writeUsage(billed) }, cost) ?? sent;
  return {
    get body() {
      return bodyWith(null);
    },
    failure: write === null ? REPEATED_MEMBER : failure,
    bodyWith,
    usage,
    rejected_usage: usage === null ? raw_usage : null,
    has_content: isObject(response) && Array.isArray(response.output) && response.output.length > 0,
    get output_bytes() {
      return Buffer.byteLength(generatedText(response));
    },
    get output_sample() {
      return generatedText(response);
    },
  };
}

function writerOf(answer: SentAnswer, model_id: string, previous: string | null): WriteBody | null {
  return bodyWriter(answer, model_id, previous === null ? [] : [["previous_response_id", JSON.stringify(previous)]]);
}

/** Why a body is not a finished response; null when it is one. */
export function failureOf(response: unknown): VendorFailure | null {
  if (!isObject(response)) return notAResponse("something that is no response");
  if (response.status === "failed" || response.status === "cancelled") return readFailure(response);
  if (!Array.isArray(response.output)) {
    return isObject(response.error) ? readFailure(response) : notAResponse("something that is no response");
  }
  if (response.status === "queued" || response.status === "in_progress") return notAResponse("an unfinished response");
  return null;
}

function notAResponse(what: string): VendorFailure {
  return { status: 502, message: `The model service answered with ${what}.`, retry_after_ms: null };
}

function generatedText(response: unknown): string {
  if (!isObject(response) || !Array.isArray(response.output)) return "";
  let text = "";
  for (const item of response.output) {
    if (!isObject(item)) continue;
    for (const own of [item.arguments, item.input, item.code]) if (typeof own === "string") text += own;
    for (const parts of [item.summary, item.content]) if (Array.isArray(parts)) text += textOfParts(parts);
  }
  return text;
}

function textOfParts(parts: readonly unknown[]): string {
  let text = "";
  for (const part of parts) {
    if (!isObject(part)) continue;
    if (typeof part.text === "string") text += part.text;
    if (typeof part.refusal === "string") text += part.refusal;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
