import type { BlockKind, TokenLogprob } from "../../core/answer/stream-event.ts";
import { randomBase62 } from "../../core/ids.ts";
import { shownLogprobs } from "../shared/read-logprobs.ts";
import type { NamespacedName } from "./namespaces.ts";

/**
 * The items of an output and their parts as JSON text, so that each is serialized once, however many events contain it.
 */

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type CallBlock = Extract<BlockKind, { kind: "tool-call" }>;
export type ToolNames = ReadonlyMap<string, NamespacedName>;

/** `parts` are JSON texts. */
export function messageItem(id: string, status: ItemStatus, parts: readonly string[]): string {
  return `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${parts.join(",")}]}`;
}

export function textPart(text: string, logprobs: readonly TokenLogprob[]): string {
  return `{"type":"output_text","annotations":[],"logprobs":${logprobsJson(logprobs)},"text":${JSON.stringify(text)}}`;
}

export function refusalPart(text: string): string {
  return `{"type":"refusal","refusal":${JSON.stringify(text)}}`;
}

export function summaryPart(text: string): string {
  return `{"type":"summary_text","text":${JSON.stringify(text)}}`;
}

/** `summary` is JSON text, empty where there is none. */
export function reasoningItem(id: string, summary: string, encrypted: string | null): string {
  const content = encrypted === null ? "" : `,"encrypted_content":${JSON.stringify(encrypted)}`;
  return `{"id":"${id}","type":"reasoning","summary":[${summary}]${content}}`;
}

/** The item that replaces a conversation that was compacted. */
export function compactionItem(id: string, encrypted: string): string {
  return `{"id":"${id}","type":"compaction","encrypted_content":${JSON.stringify(encrypted)}}`;
}

/** A call of a function or of a custom tool. A tool of a namespace gets its namespace and its name there. */
export function callItem(
  call: { readonly id: string; readonly block: CallBlock; readonly text: string; readonly names: ToolNames },
  status: ItemStatus,
): string {
  const { id, block, text, names } = call;
  const type = block.tool === "custom" ? "custom_tool_call" : "function_call";
  const name = names.get(block.name) ?? { name: block.name };
  return JSON.stringify({ id, type, status, call_id: block.id, ...name, [fieldOf(block)]: text });
}

/** The member of a call that holds its text. */
export function fieldOf({ tool }: CallBlock): "input" | "arguments" {
  return tool === "custom" ? "input" : "arguments";
}

/** The whole text of a call. A function's arguments are never empty, because clients parse them as JSON. */
export function callText({ tool }: CallBlock, text: string): string {
  return tool === "function" && text === "" ? "{}" : text;
}

/** Log probabilities as JSON. This protocol has an empty array for a token without bytes of its own, others null. */
export function logprobsJson(logprobs: readonly TokenLogprob[]): string {
  const known = shownLogprobs(logprobs);
  if (known.length === 0) return "[]";
  return JSON.stringify(known, (key: string, value: unknown) => (key === "bytes" ? (value ?? []) : value));
}

/** Ids of a response's items: the response's random part and the item's place, so that each item's id is unique. */
export function itemId(type: keyof typeof PREFIXES, base: string, at: number) {
  return `${PREFIXES[type]}_${base}${at.toString(36).padStart(2, "0")}`;
}

/** An id for what a vendor sent without one, by its type; a type that is no plain word is not repeated in it. */
export function newItemId(type: string): string {
  const known: Readonly<Record<string, string | undefined>> = PREFIXES;
  return `${known[type] ?? (/^[a-z_]{2,40}$/.test(type) ? type : "item")}_${randomBase62(22)}`;
}

const PREFIXES = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  compaction: "cmp",
} as const;
