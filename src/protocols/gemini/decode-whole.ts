import type { DecodedAnswer } from "../../core/codec.ts";
import type { WholeBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { textOf } from "../../core/sent-body.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import { parseExactUnder } from "../shared/exact-json.ts";
import { AnswerReader, ARGS } from "./answer-reader.ts";

/** Reads the answer of `generateContent`. Never throws: a body that is no answer gives an `error` event. */
export function decodeWhole(body: WholeBody): DecodedAnswer {
  const response = parse(body);
  const reader = new AnswerReader();
  const events = response === null ? [] : [...reader.take(response), ...reader.finish()];
  const last = events.at(-1)?.type;
  const is_whole = last === "finish" || last === "error";
  return { events: is_whole ? events : [...events, NO_ANSWER], rejected_usage: reader.rejected_usage };
}

const NO_ANSWER: StreamEvent = {
  type: "error",
  status: 502,
  message: "The model service answered with something that is no answer of a model.",
  retry_after_ms: null,
};

function parse(body: WholeBody): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = parseExactUnder(ARGS, textOf(body));
    const response: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return isObject(response) ? response : null;
  } catch {
    return null;
  }
}
