import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, StreamEncoder } from "../../core/answer/codec.ts";
import type { BlockEnd, BlockKind, FinishEvent, StreamEvent, TokenLogprob } from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import {
  CallWriter,
  EventWriter,
  type ItemPlace,
  type ItemWriter,
  itemEvent,
  MessageWriter,
  ReasoningWriter,
} from "./item-writer.ts";
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
import { endOf, ResponseSerializer, type ResponseState } from "./response-serializer.ts";
import { encryptedContent, sealContent, UNSIGNED_CONTENT } from "./seal.ts";

const NO_LOGPROBS: readonly TokenLogprob[] = [];

/**
 * Writes events as a responses stream with its whole public life cycle (docs/rulings.md 5). An item's done event is
 * sent when the next block or the end of the answer is known: only then is it clear whether the item is complete.
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #events = new EventWriter();
  readonly #response: ResponseSerializer;
  readonly #names: ToolNames;
  /** The items that are done, as JSON. */
  readonly #output: string[] = [];
  #item: ItemWriter | null = null;
  #block: BlockKind = { kind: "text" };
  /** The open block's text; a seal of the text names it by its digest. */
  #text = "";
  #has_refusal = false;

  constructor(context: AnswerContext) {
    this.#response = new ResponseSerializer(context);
    this.#names = namespacedNames(context.body);
  }

  encode(event: StreamEvent): string {
    switch (event.type) {
      case "block-delta":
        // Deltas come first because nearly every event is one.
        if (this.#block.kind === "text" || this.#block.kind === "refusal") this.#text += event.text;
        return this.#item?.delta(event.text, event.logprobs ?? NO_LOGPROBS) ?? "";
      case "start":
        return this.#stateEvent("created") + this.#stateEvent("in_progress");
      case "block-start":
        return this.#startBlock(event.block);
      case "block-end":
        return this.#endBlock(event);
      case "finish":
        return this.#finish(event);
      case "error":
        return "";
    }
  }

  fail({ code, message }: GatewayError): string {
    const open = this.#item === null ? [] : [this.#item.json("incomplete")];
    const output = [...this.#output, ...open];
    return this.#lifecycle("failed", { status: "failed", output, error: { code, message } });
  }

  #startBlock(block: BlockKind): string {
    this.#block = block;
    this.#text = "";
    if (block.kind === "refusal") this.#has_refusal = true;
    if (this.#item?.takes(block)) return this.#item.startBlock(block);
    const closing = this.#close("completed");
    this.#item = this.#itemFor(block);
    return closing + this.#item.add() + this.#item.startBlock(block);
  }

  #itemFor(block: BlockKind): ItemWriter {
    switch (block.kind) {
      case "text":
      case "refusal":
        return new MessageWriter(this.#placeFor("message"));
      case "reasoning":
        return new ReasoningWriter(this.#placeFor("reasoning"));
      case "tool-call": {
        const place = this.#placeFor(block.tool === "custom" ? "custom_tool_call" : "function_call");
        return new CallWriter(place, block, this.#names);
      }
    }
  }

  #placeFor(type: Parameters<typeof itemId>[0]): ItemPlace {
    const output_index = this.#output.length;
    return { events: this.#events, id: itemId(type, this.#response.base, output_index), output_index };
  }

  #endBlock({ opaque }: BlockEnd): string {
    const block = this.#block;
    const ending = this.#item?.endBlock(opaque) ?? "";
    if (opaque === undefined || block.kind === "reasoning") return ending;
    const sealed = block.kind === "tool-call" ? { call_id: block.id } : { text: this.#text };
    return ending + this.#seal(sealContent(opaque, sealed));
  }

  /** The seal of a call or text follows it as an item of its own. */
  #seal(content: string): string {
    const closing = this.#close("completed");
    this.#item = new ReasoningWriter(this.#placeFor("reasoning"), content);
    return closing + this.#item.add();
  }

  #close(status: ItemStatus): string {
    if (this.#item === null) return "";
    const json = this.#item.json(status);
    this.#output.push(json);
    const closing = itemEvent(this.#item.place, "done", json);
    this.#item = null;
    return closing;
  }

  #finish({ reason, usage, cost }: FinishEvent): string {
    const end = endOf(reason, this.#has_refusal);
    const closing = this.#close(end.status === "incomplete" ? "incomplete" : "completed");
    return closing + this.#lifecycle(end.status, { ...end, output: this.#output, usage, cost });
  }

  #stateEvent(name: "created" | "in_progress"): string {
    return this.#lifecycle(name, { status: "in_progress", output: [] });
  }

  #lifecycle(name: string, state: ResponseState): string {
    return this.#events.frame(`response.${name}`, `"response":${this.#response.json(state)}`);
  }
}

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
