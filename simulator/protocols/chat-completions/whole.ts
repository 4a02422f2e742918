import type { Ask } from "../../ask.ts";
import { SIMULATED_CREATED } from "../../ids.ts";
import type { Block, Performance, ToolCall } from "../../performance.ts";
import { servedTier } from "../read.ts";
import { signsCalls } from "../strictness.ts";
import { pieceLogprobs, wireLogprobs } from "./logprobs.ts";
import { wireUsage } from "./usage.ts";

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
export function reasoningField(ask: Ask): string {
  return ask.model.params.text("dialect", "reasoning_content");
}

export function chatId(ask: Ask): string {
  return `chatcmpl-sim_${ask.serial}`;
}

export function callId(ask: Ask, choice: number, nth: number): string {
  return `call_sim_${ask.serial}_${choice}_${nth}`;
}

export function wireCall(call: ToolCall, id: string, text: string): object {
  if (call.custom) return { id, type: "custom", custom: { name: call.name, input: text } };
  return { id, type: "function", function: { name: call.name, arguments: text } };
}

/** Google's signature on an answer's first call. */
export function signed(ask: Ask, { reasoning }: Performance): object {
  if (!signsCalls(ask.model) || reasoning === null) return {};
  return { extra_content: { google: { thought_signature: reasoning.seal } } };
}
