import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import { namespacedNames } from "./namespaces.ts";
import {
  callItem,
  callText,
  type ItemStatus,
  itemId,
  messageItem,
  reasoningItem,
  refusalPart,
  summaryPart,
  type ToolNames,
  textPart,
} from "./output-items.ts";
import { endOf, ResponseSerializer } from "./response-serializer.ts";
import { encryptedContent, sealContent, UNSIGNED_CONTENT } from "./seal.ts";

/** Writes one item once its place in the output and its status are known. */
type Item = (at: number, status: ItemStatus) => string;

/** A whole answer as a response (docs/api.md 2.5), with the same items as a stream of it would have. */
export function encodeResponse(answer: AssembledAnswer, context: AnswerContext): string {
  const { blocks, reason, usage, cost } = answer;
  const response = new ResponseSerializer(context);
  const end = endOf(
    reason,
    blocks.some(({ kind }) => kind === "refusal"),
  );
  const items = itemsOf(blocks, response.base, namespacedNames(context.body));
  const last_status = end.status === "incomplete" ? "incomplete" : "completed";
  const output = items.map((item, at) => item(at, at === items.length - 1 ? last_status : "completed"));
  return response.json({ ...end, output, usage, cost });
}

function itemsOf(blocks: readonly AnswerBlock[], base: string, names: ToolNames): Item[] {
  const items: Item[] = [];
  let parts: string[] | null = null;
  for (const block of blocks) {
    if (block.kind === "text" || block.kind === "refusal") {
      if (parts === null) {
        parts = [];
        items.push(messageOf(parts, base));
      }
      parts.push(block.kind === "text" ? textPart(block.text, block.logprobs ?? []) : refusalPart(block.text));
    } else {
      parts = null;
      items.push(block.kind === "reasoning" ? reasoningOf(block, base) : callOf(block, base, names));
    }
    if (block.opaque === undefined || block.kind === "reasoning") continue;
    parts = null;
    const sealed = block.kind === "tool-call" ? { call_id: block.id } : { text: block.text };
    items.push(encryptedItem("", sealContent(block.opaque, sealed), base));
  }
  return items;
}

function messageOf(parts: readonly string[], base: string): Item {
  return (at, status) => messageItem(itemId("message", base, at), status, parts);
}

function reasoningOf({ text, opaque }: AnswerBlock, base: string): Item {
  return encryptedItem(
    text === "" ? "" : summaryPart(text),
    opaque === undefined ? UNSIGNED_CONTENT : encryptedContent(opaque),
    base,
  );
}

function encryptedItem(summary: string, encrypted: string, base: string): Item {
  return (at) => reasoningItem(itemId("reasoning", base, at), summary, encrypted);
}

function callOf(block: Extract<AnswerBlock, { kind: "tool-call" }>, base: string, names: ToolNames): Item {
  const type = block.tool === "custom" ? "custom_tool_call" : "function_call";
  return (at, status) =>
    callItem({ id: itemId(type, base, at), block, text: callText(block, block.text), names }, status);
}
