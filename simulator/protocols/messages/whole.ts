import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import { wireUsage } from "./usage.ts";

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
export function messageHead(ask: Ask): object {
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
export function blocksOf(ask: Ask, { reasoning, blocks }: Performance): WireBlock[] {
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
