import type { Ask } from "../../ask.ts";
import { type Performance, reportUsage, type SimulatedUsage } from "../../performance.ts";
import { type Frame, namedFrame } from "../protocol.ts";

const STOP_REASON = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
  content_filter: "refusal",
} as const satisfies Record<Performance["finish"], string>;

/** An answer that is not streamed. */
export function whole(ask: Ask, performance: Performance): object {
  const content = blocksOf(ask, performance).map((block) => block.done);
  return { ...messageHead(ask), content, ...ending(performance), ...usageField(performance) };
}

/** The fields of a message that do not change while it is made. */
function messageHead(ask: Ask): object {
  return { id: `msg_sim_${ask.serial}`, type: "message", role: "assistant", model: ask.model.full, container: null };
}

export function ending({ finish, stop_sequence }: Performance): object {
  const stop_reason = STOP_REASON[finish];
  const stop_details =
    stop_reason === "refusal" ? { type: "refusal", category: null, explanation: "Simulated refusal." } : null;
  return { stop_reason, stop_sequence, stop_details };
}

function usageField(performance: Performance): object {
  return performance.usage_reporting.omitted ? {} : { usage: wireUsage(performance) };
}

/** A content block: as it starts, its deltas, and as it is when done. */
interface WireBlock {
  readonly start: object;
  readonly deltas: Iterable<object>;
  readonly done: object;
}

/** The content blocks of a performance, in order. */
function blocksOf(ask: Ask, { reasoning, blocks }: Performance): WireBlock[] {
  const result: WireBlock[] = [];
  if (reasoning?.redacted) {
    const block = { type: "redacted_thinking", data: reasoning.seal };
    result.push({ start: block, deltas: [], done: block });
  } else if (reasoning) {
    result.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...reasoning.pieces.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: reasoning.seal },
      ],
      done: { type: "thinking", thinking: reasoning.pieces.join(""), signature: reasoning.seal },
    });
  }
  for (const [index, block] of blocks.entries()) {
    const text = block.pieces.join("");
    if (block.type === "tool_call") {
      const head = { type: "tool_use", id: `toolu_sim_${ask.serial}_${index}`, name: block.name };
      result.push({
        start: { ...head, input: {} },
        deltas: ["", ...block.pieces].map((partial_json) => ({ type: "input_json_delta", partial_json })),
        done: { ...head, input: JSON.parse(text) },
      });
    } else {
      result.push({
        start: { type: "text", text: "", citations: null },
        deltas: block.pieces.map((piece) => ({ type: "text_delta", text: piece })),
        done: { type: "text", text, citations: null },
      });
    }
  }
  return result;
}

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

/** Usage as messages count it: the input classes are disjoint. */
function wireUsage({ usage, usage_reporting }: Performance): unknown {
  return reportUsage(
    {
      ...inputUsage(usage),
      ...outputUsage(usage),
      service_tier: "standard",
      inference_geo: null,
      server_tool_use: null,
    },
    usage_reporting,
  );
}

/** The usage of a stream's `message_start`: the input, and one token of output. */
function startUsage(performance: Performance): unknown {
  const { usage, usage_reporting } = performance;
  const estimate = usage_reporting.early ? { ...usage, input: usage.input + 1 } : usage;
  return wireUsage({ ...performance, usage: { ...estimate, output: 1, reasoning: 0 } });
}

/** The usage of a stream's `message_delta`: all classes, or the output alone as older versions sent it. */
function deltaUsage({ usage, usage_reporting }: Performance): unknown {
  const input = usage_reporting.split ? {} : plainInput(usage);
  return reportUsage({ ...input, ...outputUsage(usage) }, usage_reporting);
}

function plainInput(usage: SimulatedUsage): object {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cache_write,
    cache_read_input_tokens: usage.cache_read,
  };
}

function inputUsage(usage: SimulatedUsage): object {
  const cache_creation = { ephemeral_5m_input_tokens: usage.cache_write, ephemeral_1h_input_tokens: 0 };
  return { ...plainInput(usage), cache_creation };
}

function outputUsage(usage: SimulatedUsage): object {
  const output_tokens_details = usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null;
  return { output_tokens: usage.output, output_tokens_details };
}
