import type { DecodedAnswer } from "../../core/codec.ts";
import type { WholeBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { textOf } from "../../core/sent-body.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import { parseExactUnder } from "../shared/exact-json.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { AnswerReader, INPUT } from "./answer-reader.ts";

/**
 * Reads a message that arrived in one piece, as if it had been streamed. Never throws: a body that is no message
 * becomes an `error` event.
 */
export function decodeResponse(body: WholeBody): DecodedAnswer {
  const message = parse(body);
  const events: StreamEvent[] = [];
  const reader = new AnswerReader();
  if (!isObject(message) || !Array.isArray(message.content)) {
    const failed = isObject(message) && message.error !== undefined;
    reader.fail(failed ? readErrorObject(message) : NO_MESSAGE, events);
    return { events, rejected_usage: null };
  }
  const { id, content, stop_reason, stop_sequence, usage } = message;
  reader.take("message_start", { message: { id } }, events);
  for (const [index, content_block] of content.entries()) {
    reader.take("content_block_start", { index, content_block }, events);
  }
  reader.take("message_delta", { delta: { stop_reason, stop_sequence }, usage }, events);
  reader.take("message_stop", {}, events);
  return { events, rejected_usage: reader.rejected_usage };
}

const NO_MESSAGE = {
  status: 502,
  message: "The model service answered with something that is no message.",
  retry_after_ms: null,
};

function parse(body: WholeBody): unknown {
  try {
    return parseExactUnder(INPUT, textOf(body));
  } catch {
    return null;
  }
}
