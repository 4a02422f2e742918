import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { textOf } from "../../core/sent-body.ts";
import type { Usage } from "../../core/usage.ts";
import { bodyWriter, REPEATED_MEMBER, type SentAnswer, type WriteBody } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { mergeUsage, readUsage } from "./read-usage.ts";
import { hidesCalls } from "./stop-reason.ts";
import { startsWithContent } from "./told-blocks.ts";
import { messageUsage } from "./wire-message.ts";
import { parseJson } from "../shared/parse-json.ts";

/** Reads a message that arrived in one piece. Never throws: a body that is no message is a failure. */
export function readWholeMessage(sent: WholeBody, model_id: string): WholeAnswer {
  const text = textOf(sent);
  const message = parse(text);
  const failure = failureOf(message);
  const raw_usage = isObject(message) ? mergeUsage(null, message.usage) : null;
  const usage = raw_usage === null ? null : readUsage(raw_usage);
  const write =
    failure === null && isObject(message) ? writerOf({ sent, text, answer: message }, model_id) : () => sent;
  const bodyWith = (billed: Usage | null, cost?: string): SentBody =>
    write?.(billed === null ? undefined : { ...messageUsage(billed) }, cost) ?? sent;
  return {
    get body() {
      return bodyWith(null);
    },
    failure: write === null ? REPEATED_MEMBER : failure,
    bodyWith,
    usage,
    rejected_usage: usage === null ? raw_usage : null,
    has_content: isObject(message) && Array.isArray(message.content) && message.content.some(startsWithContent),
    get output_bytes() {
      return Buffer.byteLength(generatedText(message));
    },
    get output_sample() {
      return generatedText(message);
    },
  };
}

/** Writes the client's form of a message; null where a member is named twice. */
function writerOf(sent: SentAnswer, model_id: string): WriteBody | null {
  const { answer } = sent;
  if (!hidesCalls(answer.stop_reason) || !callsTools(answer.content)) return bodyWriter(sent, model_id);
  return bodyWriter(sent, model_id, [
    ["stop_reason", '"tool_use"'],
    ["stop_sequence", "null"],
  ]);
}

function callsTools(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isObject(block) && block.type === "tool_use");
}

function failureOf(message: unknown): VendorFailure | null {
  if (isObject(message) && Array.isArray(message.content)) return null;
  if (isObject(message) && message.error !== undefined) return readErrorObject(message);
  return {
    status: 502,
    message: "The model service answered with something that is no message.",
    retry_after_ms: null,
  };
}

function generatedText(message: unknown): string {
  if (!isObject(message) || !Array.isArray(message.content)) return "";
  let text = "";
  for (const block of message.content) {
    if (!isObject(block)) continue;
    if (typeof block.text === "string") text += block.text;
    if (typeof block.thinking === "string") text += block.thinking;
    if (isObject(block.input)) text += JSON.stringify(block.input);
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
