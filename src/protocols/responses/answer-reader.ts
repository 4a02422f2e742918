import type { FinishReason, StreamEvent } from "../../core/answer/stream-event.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { laterUsage, type Usage, withServed } from "../../core/money/usage.ts";
import { AnswerEvents } from "../shared/answer-events.ts";
import { BlockSequence } from "../shared/block-sequence.ts";
import { readLogprobs } from "../shared/read-logprobs.ts";
import { readFailure } from "./failure.ts";
import { KnownItems, kindOfEvent, typeOf } from "./item-names.ts";
import { ItemReader } from "./item-reader.ts";
import { CONTRADICTORY_CALL, faultOfEnd } from "./judge-end.ts";
import { matchOutput } from "./match-output.ts";
import { readUsage } from "./read-usage.ts";

/**
 * Turns the events of a vendor's stream, or its whole response, into neutral events. Items that the vendor writes side
 * by side become consecutive blocks. Items of hosted tools become no block: their outcome is in the answer's text.
 */
export class AnswerReader extends AnswerEvents {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  readonly #blocks = new BlockSequence((event) => this.#emit(event));
  readonly #known = new KnownItems<ItemReader>();
  /** Every item, in the order in which they were told. */
  readonly #items: ItemReader[] = [];
  #is_started = false;
  #has_calls = false;
  #has_refusal = false;

  /** Takes an event of the stream. Event types without a case here only report progress. */
  take(type: string, data: JsonRecord): void {
    if (this.is_over) return;
    switch (type) {
      case "response.output_text.delta":
        this.#itemOf(type, data).addText(
          "text",
          data.content_index,
          textOf(data.delta),
          readLogprobs(data.logprobs, true),
        );
        return;
      case "response.refusal.delta":
        return this.#itemOf(type, data).addText("refusal", data.content_index, textOf(data.delta));
      case "response.reasoning_summary_text.delta":
        return this.#itemOf(type, data).addReasoning("summary", data.summary_index, textOf(data.delta));
      case "response.reasoning_text.delta":
        return this.#itemOf(type, data).addReasoning("content", data.content_index, textOf(data.delta));
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return this.#itemOf(type, data).addCall(textOf(data.delta));
      default:
        return type.endsWith(".done") ? this.#takeDone(type, data) : this.#takeState(type, data);
    }
  }

  takeWhole(response: JsonRecord): void {
    this.#start(response);
    this.#finish(response);
  }

  #takeDone(type: string, data: JsonRecord): void {
    switch (type) {
      case "response.output_text.done":
        return this.#itemOf(type, data).endText("text", data.content_index, data.text, data.logprobs);
      case "response.refusal.done":
        return this.#itemOf(type, data).endText("refusal", data.content_index, data.refusal);
      case "response.reasoning_summary_text.done":
        return this.#itemOf(type, data).endReasoning("summary", data.summary_index, data.text);
      case "response.reasoning_text.done":
        return this.#itemOf(type, data).endReasoning("content", data.content_index, data.text);
      case "response.function_call_arguments.done":
        return this.#itemOf(type, data).endCall(data.arguments);
      case "response.custom_tool_call_input.done":
        return this.#itemOf(type, data).endCall(data.input);
      case "response.output_item.done":
        if (isObject(data.item))
          this.#endItem(this.#known.ofDone(data, data.item) ?? this.#new(typeOf(data.item)), data);
    }
  }

  #takeState(type: string, data: JsonRecord): void {
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return this.#start(isObject(data.response) ? data.response : {});
      case "response.output_item.added":
        if (isObject(data.item)) this.#add(data, data.item);
        return;
      case "response.completed":
      case "response.incomplete":
        return this.#finish(isObject(data.response) ? data.response : {});
      case "response.failed":
      case "error":
        return this.fail(readFailure(data));
    }
  }

  #emit(event: StreamEvent): void {
    if (event.type === "block-start") {
      this.#has_calls ||= event.block.kind === "tool-call";
      this.#has_refusal ||= event.block.kind === "refusal";
    }
    this.events.push(event);
  }

  /** The item that an event about a text means; a new one where none is known. */
  #itemOf(type: string, data: JsonRecord): ItemReader {
    const kind = kindOfEvent(type);
    const item = this.#known.ofEvent(data, kind, type.endsWith(".done")) ?? this.#new(kind);
    this.#known.learn(item, data, null);
    return item;
  }

  #new(kind: string): ItemReader {
    this.#start({});
    const item = new ItemReader(this.#blocks, kind);
    this.#items.push(item);
    return item;
  }

  #add(data: JsonRecord, told: JsonRecord): void {
    const item = this.#known.ofAdded(data, told) ?? this.#new(typeOf(told));
    this.#known.learn(item, data, told);
    item.names.is_added = true;
    item.add(told);
  }

  /** Takes an item that is told whole, by its done event or in the last event; what is told again changes nothing. */
  #endItem(item: ItemReader, { output_index, item: told }: JsonRecord): void {
    if (item.names.is_done || !isObject(told)) return;
    this.#known.learn(item, { output_index }, told);
    item.end(told);
    item.names.is_done = true;
  }

  #start({ id, created_at }: JsonRecord): void {
    if (this.#is_started) return;
    this.#is_started = true;
    const created = typeof created_at === "number" ? Math.floor(created_at) : null;
    this.events.push({ type: "start", id: typeof id === "string" ? id : null, created, usage: null });
  }

  /** The response holds its whole output: whatever the stream did not carry is read from it. */
  #finish(response: JsonRecord): void {
    this.#start(response);
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
    const matches = matchOutput(output, this.#known, this.#items);
    // Judged before what is only in this event is passed on: where nothing went out yet, another route may answer.
    const matched = new Set(matches);
    const calls = this.#items.flatMap((item) => (matched.has(item) ? [] : (item.arguments ?? [])));
    const fault = faultOfEnd(response, this.#items.length > 0, calls);
    if (fault !== null) return this.fail(fault);
    for (const [index, known] of matches.entries()) {
      const item = output[index] ?? {};
      this.#endItem(known ?? this.#new(typeOf(item)), { output_index: index, item });
    }
    if (this.#items.some((item) => item.is_contradictory)) return this.fail(CONTRADICTORY_CALL);
    this.#blocks.endAll();
    this.#noteUsage(response, output);
    const raw_reason = rawReason(response);
    const reason = raw_reason === null ? this.#finishedReason() : incompleteReason(raw_reason);
    this.events.push({ type: "finish", reason, stop_sequence: null, raw_reason, usage: this.usage });
    this.is_over = true;
  }

  /** Calls decide first: an answer with calls waits for their results, whatever status it has. */
  #finishedReason(): FinishReason {
    if (this.#has_calls) return "tool-calls";
    return this.#has_refusal ? "refusal" : "stop";
  }

  #noteUsage({ usage: raw, service_tier }: JsonRecord, output: readonly JsonRecord[]): void {
    if (!isObject(raw)) return;
    const read = readUsage(raw, output);
    this.usage = read === null ? null : laterUsage(this.usage, withServed(read, service_tier));
    if (read === null) this.rejected_usage = raw;
  }
}

function textOf(delta: unknown): string {
  return typeof delta === "string" ? delta : "";
}

/** Why an answer is incomplete; null for a complete answer. */
function rawReason({ status, incomplete_details }: JsonRecord): string | null {
  if (isObject(incomplete_details) && typeof incomplete_details.reason === "string") return incomplete_details.reason;
  return status === "incomplete" ? "incomplete" : null;
}

function incompleteReason(raw: string): FinishReason {
  return raw === "content_filter" ? "content-filter" : "length";
}
