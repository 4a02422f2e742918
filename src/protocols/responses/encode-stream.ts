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
import { type ItemStatus, itemId, type ToolNames } from "./output-items.ts";
import { endOf, ResponseSerializer, type ResponseState } from "./response-serializer.ts";
import { sealContent } from "./seal.ts";

const NO_LOGPROBS: readonly TokenLogprob[] = [];

interface OpenItem {
  readonly writer: ItemWriter;
  readonly place: ItemPlace;
}

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
  #item: OpenItem | null = null;
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
        return this.#item?.writer.delta(event.text, event.logprobs ?? NO_LOGPROBS) ?? "";
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
    const open = this.#item === null ? [] : [this.#item.writer.json("incomplete")];
    const output = [...this.#output, ...open];
    return this.#lifecycle("failed", { status: "failed", output, error: { code, message } });
  }

  #startBlock(block: BlockKind): string {
    this.#block = block;
    this.#text = "";
    if (block.kind === "refusal") this.#has_refusal = true;
    if (this.#item?.writer.takes(block)) return this.#item.writer.startBlock(block);
    const closing = this.#close("completed");
    this.#item = this.#itemFor(block);
    return closing + this.#item.writer.add() + this.#item.writer.startBlock(block);
  }

  #itemFor(block: BlockKind): OpenItem {
    switch (block.kind) {
      case "text":
      case "refusal": {
        const place = this.#placeFor("message");
        return { place, writer: new MessageWriter(place) };
      }
      case "reasoning": {
        const place = this.#placeFor("reasoning");
        return { place, writer: new ReasoningWriter(place) };
      }
      case "tool-call": {
        const place = this.#placeFor(block.tool === "custom" ? "custom_tool_call" : "function_call");
        return { place, writer: new CallWriter(place, block, this.#names) };
      }
    }
  }

  #placeFor(type: Parameters<typeof itemId>[0]): ItemPlace {
    const output_index = this.#output.length;
    return { events: this.#events, id: itemId(type, this.#response.base, output_index), output_index };
  }

  #endBlock({ opaque }: BlockEnd): string {
    const block = this.#block;
    const ending = this.#item?.writer.endBlock(opaque) ?? "";
    if (opaque === undefined || block.kind === "reasoning") return ending;
    const sealed = block.kind === "tool-call" ? { call_id: block.id } : { text: this.#text };
    return ending + this.#seal(sealContent(opaque, sealed));
  }

  /** The seal of a call or text follows it as an item of its own. */
  #seal(content: string): string {
    const closing = this.#close("completed");
    const place = this.#placeFor("reasoning");
    const writer = new ReasoningWriter(place, content);
    this.#item = { place, writer };
    return closing + writer.add();
  }

  #close(status: ItemStatus): string {
    if (this.#item === null) return "";
    const json = this.#item.writer.json(status);
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
