import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import { wireUsage } from "./usage.ts";

export const STOP_REASON = {
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
export function responseFields({ body, stream }: Ask, { stop_sequence }: Performance): object {
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

export function callId({ serial }: Ask, nth: number): string {
  return `tooluse_sim_${serial}_${nth}`;
}
