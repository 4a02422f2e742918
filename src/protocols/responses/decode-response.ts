import type { DecodedAnswer } from "../../core/codec.ts";
import type { WholeBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { textOf } from "../../core/sent-body.ts";
import { parseJson } from "../shared/parse-json.ts";
import { AnswerReader } from "./answer-reader.ts";
import { failureOf } from "./read-whole.ts";

/** Reads a response that arrived whole. Anything but a finished response becomes an `error` event; never throws. */
export function decodeResponse(body: WholeBody): DecodedAnswer {
  const response = parse(body);
  const failure = failureOf(response);
  if (failure !== null || !isObject(response)) {
    const { status = 502, message = "", retry_after_ms = null } = failure ?? {};
    return { events: [{ type: "error", status, message, retry_after_ms }], rejected_usage: null };
  }
  const reader = new AnswerReader();
  reader.takeWhole(response);
  return { events: reader.drain(), rejected_usage: reader.rejected_usage };
}

function parse(body: WholeBody): unknown {
  try {
    return parseJson(textOf(body));
  } catch {
    return null;
  }
}
