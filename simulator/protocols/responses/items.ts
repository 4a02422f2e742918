import type { Ask } from "../../ask.ts";
import type { Block, Performance, Reasoning, ToolCall } from "../../performance.ts";
import { sealWith } from "../../seal.ts";
import { wantsCompaction } from "./compaction.ts";

/** An output item: as it is announced, as it is when done, and the pieces of its stream. */
export interface Item {
  readonly kind: "reasoning" | "text" | "refusal" | "function_call" | "custom_tool_call" | "compaction";
  readonly id: string;
  readonly added: object;
  readonly done: object;
  readonly pieces: readonly string[];
}

function textOf({ blocks }: Performance): string {
  return blocks.flatMap(({ pieces }) => pieces).join("");
}

/** The output items of a performance, in order; an item's id is the same wherever it is named. */
export function itemsOf(ask: Ask, performance: Performance): Item[] {
  if (wantsCompaction(ask.body)) return [compactionItem(ask.serial, textOf(performance))];
  const items: Item[] = [];
  if (performance.reasoning !== null) items.push(reasoningItem(ask, performance.reasoning));
  const last = performance.blocks.length - 1;
  const cut_short = performance.finish === "length" || performance.finish === "content_filter";
  for (const [index, block] of performance.blocks.entries()) {
    const id = `${ask.serial}_${index}`;
    if (block.type === "tool_call") items.push(callItem(block, id));
    else items.push(messageItem(block, { id, ask, cut_short: cut_short && index === last }));
  }
  return items;
}

/** The only item of a compaction's answer: the sealed conversation. */
function compactionItem(serial: number | string, text: string): Item {
  const id = `cmp_sim_${serial}`;
  const item = { id, type: "compaction", encrypted_content: sealWith(text) };
  return { kind: "compaction", id, added: item, done: item, pieces: [] };
}

function reasoningItem(ask: Ask, { pieces, seal, redacted }: Reasoning): Item {
  const id = `rs_sim_${ask.serial}`;
  const shown = redacted ? [] : pieces;
  const summary = redacted ? [] : [{ type: "summary_text", text: pieces.join("") }];
  const sealed = ask.reasoning.encrypted ? { encrypted_content: seal } : {};
  return {
    kind: "reasoning",
    id,
    added: { id, type: "reasoning", summary: [] },
    done: { id, type: "reasoning", summary, ...sealed },
    pieces: shown,
  };
}

interface MessagePlace {
  readonly id: string;
  readonly ask: Ask;
  readonly cut_short: boolean;
}

function messageItem(block: Exclude<Block, ToolCall>, { id: suffix, ask, cut_short }: MessagePlace): Item {
  const id = `msg_sim_${suffix}`;
  const head = { id, type: "message", role: "assistant" };
  return {
    kind: block.type,
    id,
    added: { ...head, status: "in_progress", content: [] },
    done: {
      ...head,
      status: cut_short ? "incomplete" : "completed",
      content: [contentPart(block.type, block.pieces.join(""), logprobsOf(ask, block.pieces))],
    },
    pieces: block.pieces,
  };
}

/** A part of a message's content. */
export function contentPart(type: "text" | "refusal", text: string, logprobs: readonly object[] = []): object {
  if (type === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", text, annotations: [], logprobs };
}

const LOGPROB = -0.25;

/** The log-probabilities, if requested: each piece of text is a token, and all tokens are equally likely. */
export function logprobsOf({ body }: Ask, pieces: readonly string[]): readonly object[] {
  if (!Array.isArray(body.include) || !body.include.includes("message.output_text.logprobs")) return [];
  const wants_top = typeof body.top_logprobs === "number" && body.top_logprobs > 0;
  return pieces.map((token) => {
    const entry = { token, logprob: LOGPROB, bytes: [...Buffer.from(token)] };
    return { ...entry, top_logprobs: wants_top ? [entry] : [] };
  });
}

function callItem(call: ToolCall, suffix: string): Item {
  const call_id = `call_sim_${suffix}`;
  const text = call.pieces.join("");
  if (call.custom) {
    const id = `ctc_sim_${suffix}`;
    const head = { id, type: "custom_tool_call", call_id, name: call.name };
    return {
      kind: "custom_tool_call",
      id,
      added: { ...head, status: "in_progress", input: "" },
      done: { ...head, status: "completed", input: text },
      pieces: call.pieces,
    };
  }
  const id = `fc_sim_${suffix}`;
  const head = { id, type: "function_call", call_id, name: call.name };
  return {
    kind: "function_call",
    id,
    added: { ...head, status: "in_progress", arguments: "" },
    done: { ...head, status: "completed", arguments: text },
    pieces: call.pieces,
  };
}
