import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import { type Frame, namedFrame } from "../protocol.ts";
import { deltaUsage, startUsage } from "./usage.ts";
import { blocksOf, ending, messageHead } from "./whole.ts";

/** The events of a stream, from `message_start` to `message_stop`, each under its name. */
export function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const { omitted } = performance.usage_reporting;
  const event = (part: Frame["part"], type: string, fields: object = {}) => namedFrame(part, type, { type, ...fields });
  const unfinished = { content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  const start = { ...messageHead(ask), ...unfinished, ...(omitted ? {} : { usage: startUsage(performance) }) };
  yield event("opening", "message_start", { message: start });
  yield event("opening", "ping");
  for (const [index, block] of blocksOf(ask, performance).entries()) {
    yield event("structure", "content_block_start", { index, content_block: block.start });
    for (const delta of block.deltas) yield event("content", "content_block_delta", { index, delta });
    yield event("structure", "content_block_stop", { index });
  }
  const usage = omitted ? {} : { usage: deltaUsage(performance) };
  yield event("closing", "message_delta", { delta: { ...ending(performance), container: null }, ...usage });
  yield event("terminal", "message_stop");
}
