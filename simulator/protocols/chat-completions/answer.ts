import type { Ask } from "../../ask.ts";
import { SIMULATED_CREATED } from "../../ids.ts";
import type { TokenLogprob } from "../../judge/token-distribution.ts";
import {
  type Block,
  type Performance,
  type PieceLogprobs,
  reportUsage,
  type SimulatedUsage,
  type ToolCall,
} from "../../performance.ts";
import { dataFrame, type Frame } from "../protocol.ts";
import { servedTier } from "../read.ts";
import { signsCalls } from "../strictness.ts";

export const FINISH = {
  stop: "stop",
  stop_sequence: "stop",
  refusal: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
} as const satisfies Record<Performance["finish"], string>;

export function whole(ask: Ask, performance: Performance): object {
  const choices = Array.from({ length: ask.choices }, (_, index) => ({
    index,
    message: message(ask, performance, index),
    logprobs: wireLogprobs(
      ask,
      performance.blocks.flatMap((block) => (block.type === "text" ? pieceLogprobs(block) : [])),
    ),
    finish_reason: FINISH[performance.finish],
  }));
  return {
    id: chatId(ask),
    object: "chat.completion",
    created: SIMULATED_CREATED,
    model: ask.model.full,
    choices,
    ...(performance.usage_reporting.omitted ? {} : { usage: wireUsage(performance, ask.choices) }),
    service_tier: servedTier(ask.body),
    system_fingerprint: "fp_simulated",
  };
}

function message(ask: Ask, performance: Performance, index: number): object {
  const calls = performance.blocks.filter((block) => block.type === "tool_call");
  return {
    role: "assistant",
    content: textOfType(performance.blocks, "text"),
    refusal: textOfType(performance.blocks, "refusal"),
    ...(performance.reasoning === null ? {} : { [reasoningField(ask)]: performance.reasoning.pieces.join("") }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call, nth) => ({
            ...wireCall(call, callId(ask, index, nth), call.pieces.join("")),
            ...(nth === 0 && signed(ask, performance)),
          })),
        }),
    annotations: [],
  };
}

function textOfType(blocks: readonly Block[], type: "text" | "refusal"): string | null {
  const pieces = blocks.flatMap((block) => (block.type === type ? block.pieces : []));
  return pieces.length === 0 ? null : pieces.join("");
}

/** The field of the reasoning text: usually `reasoning_content`; with `@dialect=reasoning`, `reasoning`. */
function reasoningField(ask: Ask): string {
  return ask.model.params.text("dialect", "reasoning_content");
}

function chatId(ask: Ask): string {
  return `chatcmpl-sim_${ask.serial}`;
}

function callId(ask: Ask, choice: number, nth: number): string {
  return `call_sim_${ask.serial}_${choice}_${nth}`;
}

function wireCall(call: ToolCall, id: string, text: string): object {
  if (call.custom) return { id, type: "custom", custom: { name: call.name, input: text } };
  return { id, type: "function", function: { name: call.name, arguments: text } };
}

/** Google's signature on an answer's first call. */
export function signed(ask: Ask, { reasoning }: Performance): object {
  if (!signsCalls(ask.model) || reasoning === null) return {};
  return { extra_content: { google: { thought_signature: reasoning.seal } } };
}

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

/** The log-probability of every piece of text, for models that do not compute log-probabilities. */
const LOGPROB = -0.25;

/** The log-probabilities of a text, one entry for each piece; null for a piece without log-probabilities. */
function pieceLogprobs({ pieces, logprobs }: Extract<Block, { type: "text" }>): (PieceLogprobs | null)[] {
  return pieces.map((token, index) => {
    if (logprobs === "none") return null;
    const only = { token, logprob: LOGPROB };
    return logprobs?.[index] ?? { chosen: only, top: [only] };
  });
}

/** The `logprobs` of a choice or a chunk, if requested and known. */
function wireLogprobs(ask: Ask, pieces: readonly (PieceLogprobs | null)[]): object | null {
  if (ask.body.logprobs !== true) return null;
  const told = pieces.filter((piece) => piece !== null);
  if (told.length === 0 && pieces.length > 0) return null;
  const shown = typeof ask.body.top_logprobs === "number" ? ask.body.top_logprobs : 0;
  const most = Math.max(shown, typeof ask.body.n_probs === "number" ? ask.body.n_probs : 0);
  const content = told.map(({ chosen, top }) => ({
    ...wireToken(chosen),
    top_logprobs: top.slice(0, most).map(wireToken),
  }));
  return { content, refusal: null };
}

function wireToken({ token, logprob }: TokenLogprob): object {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}

/** Usage in style A, whose prompt count includes the cached tokens. */
export function wireUsage({ usage, usage_reporting }: Performance, choices: number): unknown {
  return reportUsage(
    chatUsage({ ...usage, output: usage.output * choices, reasoning: usage.reasoning * choices }),
    usage_reporting,
  );
}

function chatUsage(usage: SimulatedUsage): object {
  const prompt_tokens = usage.input + usage.cache_read + usage.cache_write;
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read,
      ...(usage.cache_write > 0 ? { cache_write_tokens: usage.cache_write } : {}),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
