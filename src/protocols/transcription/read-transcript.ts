import type { SentBody, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { bodyWriter, REPEATED_MEMBER } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import type { TranscriptFormat } from "./form-fields.ts";
import { type Counting, readTranscriptUsage, writeTranscriptUsage } from "./transcript-usage.ts";

export interface AskedTranscript extends Counting {
  readonly model_id: string;
  /** What the client asked for. */
  readonly format: TranscriptFormat;
}

/** The type of an answer that is no JSON. */
export const PLAIN_TYPE = "text/plain; charset=utf-8";

export function isPlain(format: TranscriptFormat): boolean {
  return format === "text" || format === "srt" || format === "vtt";
}

/** Reads a whole answer, and writes it in the client's format. Never throws. */
export function readTranscript(sent: WholeBody, asked: AskedTranscript): WholeAnswer {
  const text = textOf(sent);
  const answer = parseOrNull(text);
  if (isObject(answer) && "error" in answer) return failedAnswer(readErrorObject(answer));
  if (isPlain(asked.format)) return plainAnswer(isObject(answer) ? answer : { text }, asked);
  if (!isObject(answer) || typeof answer.text !== "string") return failedAnswer(NO_TRANSCRIPT);
  const write = bodyWriter({ sent, text, answer }, asked.model_id);
  if (write === null) return failedAnswer(REPEATED_MEMBER);
  const usage = readTranscriptUsage(answer, asked);
  return {
    ...reportOn(answer.text, usage, answer),
    body: write(),
    bodyWith: (billed: Usage | null, cost?: string): SentBody => {
      const counted = billed ?? (isObject(answer.usage) ? null : usage);
      return counted === null ? write(undefined, cost) : write(writeTranscriptUsage(counted), cost);
    },
  };
}

/** A text without JSON around it. A vendor that was asked for its words in JSON, as it counts there, is shown as that text. */
function plainAnswer(answer: JsonRecord, asked: AskedTranscript): WholeAnswer {
  if (typeof answer.text !== "string" || isPage(answer.text)) return failedAnswer(NO_TRANSCRIPT);
  const body = answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`;
  return { ...reportOn(answer.text, readTranscriptUsage(answer, asked), answer), body };
}

function isPage(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text);
}

function reportOn(text: string, usage: Usage | null, { usage: raw }: JsonRecord) {
  return {
    ...{ usage, rejected_usage: usage === null ? (raw ?? null) : null },
    ...{ output_bytes: Buffer.byteLength(text), output_sample: text, has_content: true, failure: null },
  };
}

export const NO_TRANSCRIPT = invalidAnswer("The model service sent what is no transcription.");
