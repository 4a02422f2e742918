import type { Ask } from "../../ask.ts";
import { SIMULATED_CREATED } from "../../ids.ts";
import type { Performance, PieceLogprobs, ToolCall } from "../../performance.ts";
import { dataFrame, type Frame } from "../protocol.ts";
import { servedTier } from "../read.ts";
import { pieceLogprobs, wireLogprobs } from "./logprobs.ts";
import { wireUsage } from "./usage.ts";
import { callId, chatId, FINISH, reasoningField, signed, wireCall } from "./whole.ts";

/** The chunks of a stream: a role, the deltas, a finish reason, the usage if requested, `[DONE]`. */
export function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const chunk = chunkWriter(ask);
  const { usage_reporting } = performance;
  const early = usage_reporting.early ? { usage: wireUsage(preliminary(performance), 1) } : {};
  for (let choice = 0; choice < ask.choices; choice++) {
    yield chunk("opening", choice, { role: "assistant", content: "", refusal: null }, early);
    for (const { delta, told } of deltas(ask, performance, choice)) {
      const logprobs = told === undefined ? null : wireLogprobs(ask, [told]);
      yield chunk("content", choice, delta, { logprobs });
    }
    yield chunk("closing", choice, {}, { finish: FINISH[performance.finish] });
  }
  if (ask.include_usage && !usage_reporting.omitted) yield chunk.usage(wireUsage(performance, ask.choices));
  yield dataFrame("terminal", "[DONE]");
}

function preliminary(performance: Performance): Performance {
  return { ...performance, usage: { ...performance.usage, output: 1, reasoning: 0 } };
}

/** A delta, and the log-probabilities of its text. */
interface Delta {
  readonly delta: object;
  readonly told?: PieceLogprobs | null;
}

function* deltas(ask: Ask, performance: Performance, choice: number): Generator<Delta> {
  const thought = reasoningField(ask);
  for (const piece of performance.reasoning?.pieces ?? []) yield { delta: { [thought]: piece } };
  let index = 0;
  for (const block of performance.blocks) {
    if (block.type === "text") {
      const told = pieceLogprobs(block);
      for (const [nth, content] of block.pieces.entries()) yield { delta: { content }, told: told[nth] ?? null };
    }
    if (block.type === "refusal") for (const refusal of block.pieces) yield { delta: { refusal } };
    if (block.type !== "tool_call") continue;
    const more = index === 0 ? signed(ask, performance) : {};
    for (const part of callParts(block, callId(ask, choice, index), more))
      yield { delta: { tool_calls: [{ index, ...part }] } };
    index += 1;
  }
}

/** The deltas of a call: first id, type, name and other constant fields, then the arguments in pieces. */
function* callParts(call: ToolCall, id: string, more: object): Generator<object> {
  yield { ...wireCall(call, id, ""), ...more };
  for (const piece of call.pieces)
    yield call.custom ? { custom: { input: piece } } : { function: { arguments: piece } };
}

/** The fields of a chunk besides its delta. */
interface Beside {
  readonly finish?: string;
  readonly logprobs?: object | null;
  readonly usage?: unknown;
}

interface ChunkWriter {
  (part: Frame["part"], choice: number, delta: object, beside?: Beside): Frame;
  usage(usage: unknown): Frame;
}

/** Makes a writer of chunks; their constant parts are made once per stream. */
function chunkWriter(ask: Ask): ChunkWriter {
  const id = chatId(ask);
  const model = JSON.stringify(ask.model.full);
  const head =
    `{"id":"${id}","object":"chat.completion.chunk","created":${SIMULATED_CREATED},"model":${model},` +
    `"service_tier":"${servedTier(ask.body)}","system_fingerprint":"fp_simulated","choices":[`;
  const tail = ask.include_usage ? `],"usage":null}` : "]}";
  const write = (part: Frame["part"], index: number, delta: object, beside: Beside = {}) => {
    const { finish = null, logprobs = null, usage } = beside;
    const choice = `{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":${JSON.stringify(logprobs)},"finish_reason":${JSON.stringify(finish)}}`;
    return dataFrame(part, head + choice + (usage !== undefined ? `],"usage":${JSON.stringify(usage)}}` : tail));
  };
  return Object.assign(write, {
    usage: (usage: unknown) => dataFrame("closing", `${head}],"usage":${JSON.stringify(usage)}}`),
  });
}
