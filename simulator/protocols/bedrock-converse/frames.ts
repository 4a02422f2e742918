import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import type { Frame } from "../protocol.ts";
import { event } from "./event-message.ts";
import { wireUsage } from "./usage.ts";
import { callId, responseFields, STOP_REASON } from "./whole.ts";

/** The real vendor pads its events with these letters, so that lengths do not reveal the words. */
const PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** The events of a stream, from `messageStart` to `metadata`. Only blocks of calls have a start. */
export function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const write = padded();
  yield write("opening", "messageStart", { role: "assistant" });
  let index = 0;
  for (const { start, deltas } of blocksOf(ask, performance)) {
    if (start !== null) yield write("structure", "contentBlockStart", { contentBlockIndex: index, start });
    for (const delta of deltas) yield write("content", "contentBlockDelta", { contentBlockIndex: index, delta });
    yield write("structure", "contentBlockStop", { contentBlockIndex: index });
    index += 1;
  }
  const reason = { stopReason: STOP_REASON[performance.finish], ...responseFields(ask, performance) };
  yield write("closing", "messageStop", reason);
  const usage = performance.usage_reporting.omitted ? {} : { usage: wireUsage(performance) };
  yield write("terminal", "metadata", { ...usage, metrics: { latencyMs: 100 } });
}

interface StreamedBlock {
  readonly start: object | null;
  readonly deltas: readonly object[];
}

function* blocksOf(ask: Ask, { reasoning, blocks }: Performance): Generator<StreamedBlock> {
  if (reasoning?.redacted) {
    yield { start: null, deltas: [{ reasoningContent: { redactedContent: reasoning.seal } }] };
  } else if (reasoning) {
    const deltas = [...reasoning.pieces.map((text) => ({ text })), { signature: reasoning.seal }];
    yield { start: null, deltas: deltas.map((reasoningContent) => ({ reasoningContent })) };
  }
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "tool_call") yield { start: null, deltas: block.pieces.map((text) => ({ text })) };
    else {
      const start = { toolUse: { toolUseId: callId(ask, index), name: block.name } };
      yield { start, deltas: block.pieces.map((input) => ({ toolUse: { input } })) };
    }
  }
}

/** Makes a writer of events, each padded to a different length. */
function padded() {
  let length = 0;
  return (part: Frame["part"], type: string, data: object): Frame => {
    length = (length * 7 + 11) % PADDING.length;
    return { part, bytes: event(type, JSON.stringify({ ...data, p: PADDING.slice(0, length) })) };
  };
}
