import type { Ask } from "../../ask.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import type { Frame } from "../protocol.ts";
import { event } from "./event-message.ts";

const STOP_REASON = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "end_turn",
  content_filter: "content_filtered",
} as const satisfies Record<Performance["finish"], string>;

const LATENCY_MS = 100;

/** An answer that is not streamed. */
export function whole(ask: Ask, performance: Performance): object {
  const { omitted } = performance.usage_reporting;
  return {
    metrics: { latencyMs: LATENCY_MS },
    output: { message: { role: "assistant", content: contentOf(ask, performance) } },
    stopReason: STOP_REASON[performance.finish],
    ...responseFields(ask, performance),
    ...(omitted ? {} : { usage: wireUsage(performance) }),
  };
}

/** Fields of the maker's own answer that the request asked for. */
function responseFields({ body, stream }: Ask, { stop_sequence }: Performance): object {
  const paths: unknown = body.additionalModelResponseFieldPaths;
  const wanted = stream ? "/delta/stop_sequence" : "/stop_sequence";
  if (!Array.isArray(paths) || !paths.includes(wanted)) return {};
  return { additionalModelResponseFields: stream ? { delta: { stop_sequence } } : { stop_sequence } };
}

function contentOf(ask: Ask, { reasoning, blocks }: Performance): object[] {
  const content: object[] = [];
  if (reasoning?.redacted) content.push({ reasoningContent: { redactedContent: reasoning.seal } });
  else if (reasoning) {
    const reasoningText = { text: reasoning.pieces.join(""), signature: reasoning.seal };
    content.push({ reasoningContent: { reasoningText } });
  }
  for (const [index, block] of blocks.entries()) {
    const text = block.pieces.join("");
    if (block.type !== "tool_call") content.push({ text });
    else content.push({ toolUse: { toolUseId: callId(ask, index), name: block.name, input: JSON.parse(text) } });
  }
  return content;
}

function callId({ serial }: Ask, nth: number): string {
  return `tooluse_sim_${serial}_${nth}`;
}

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

/** Usage as Converse counts it: the input classes are disjoint. */
function wireUsage({ usage, usage_reporting }: Performance): unknown {
  const { input, cache_read, cache_write, output } = usage;
  const cached =
    cache_read > 0 || cache_write > 0 ? { cacheReadInputTokens: cache_read, cacheWriteInputTokens: cache_write } : {};
  const counts = {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + cache_read + cache_write + output,
    ...cached,
  };
  return reportUsage(counts, usage_reporting);
}
