import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, StreamEncoder } from "../../core/answer/codec.ts";
import type { FinishEvent, FinishReason, StreamEvent } from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { packSummary } from "./compaction.ts";
import { EventWriter, itemEvent } from "./item-writer.ts";
import { compactionItem, itemId } from "./output-items.ts";
import { endOf, ResponseSerializer, type ResponseState } from "./response-serializer.ts";

/** A summary without text would silently erase the conversation's memory, so the response fails. */
const NO_SUMMARY: ResponseState = {
  status: "failed",
  output: [],
  error: {
    code: "provider_error",
    message: "The model was asked for a summary to compact the conversation and wrote none.",
  },
};

/** Writes an answer to a compaction trigger as a responses stream: one compaction item, which holds all text. */
export class CompactionEncoder implements StreamEncoder {
  readonly #events = new EventWriter();
  readonly #response: ResponseSerializer;
  #is_text = false;
  #text = "";

  constructor(context: AnswerContext) {
    this.#response = new ResponseSerializer(context);
  }

  encode(event: StreamEvent): string {
    switch (event.type) {
      case "start":
        return this.#lifecycle("created", IN_PROGRESS) + this.#lifecycle("in_progress", IN_PROGRESS);
      case "block-start":
        this.#is_text = event.block.kind === "text";
        return "";
      case "block-delta":
        if (this.#is_text) this.#text += event.text;
        return "";
      case "finish":
        return this.#finish(event);
      case "block-end":
      case "error":
        return "";
    }
  }

  fail({ code, message }: GatewayError): string {
    return this.#lifecycle("failed", { status: "failed", output: [], error: { code, message } });
  }

  #finish({ reason, usage, cost }: FinishEvent): string {
    if (isEmpty(this.#text, reason)) return this.#lifecycle("failed", { ...NO_SUMMARY, usage, cost });
    const end = endOf(reason, false);
    const id = itemId("compaction", this.#response.base, 0);
    const place = { events: this.#events, id, output_index: 0 };
    const json = compactionItem(id, packSummary(this.#text));
    const item = itemEvent(place, "added", json) + itemEvent(place, "done", json);
    return item + this.#lifecycle(end.status, { ...end, output: [json], usage, cost });
  }

  #lifecycle(name: string, state: ResponseState): string {
    return this.#events.frame(`response.${name}`, `"response":${this.#response.json(state)}`);
  }
}

const IN_PROGRESS: ResponseState = { status: "in_progress", output: [] };

/** Encodes an answer to a compaction trigger that is not streamed. */
export function encodeWholeCompaction(
  { blocks, reason, usage, cost }: AssembledAnswer,
  context: AnswerContext,
): string {
  const response = new ResponseSerializer(context);
  const text = blocks.map((block: AnswerBlock) => (block.kind === "text" ? block.text : "")).join("");
  if (isEmpty(text, reason)) return response.json({ ...NO_SUMMARY, usage, cost });
  const item = compactionItem(itemId("compaction", response.base, 0), packSummary(text));
  return response.json({ ...endOf(reason, false), output: [item], usage, cost });
}

/** Whether a finished answer has no text. An answer that was cut already ends as incomplete. */
function isEmpty(text: string, reason: FinishReason): boolean {
  return text.trim() === "" && (reason === "stop" || reason === "tool-calls" || reason === "refusal");
}
