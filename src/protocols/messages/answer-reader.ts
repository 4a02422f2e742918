import type { Opaque } from "../../core/answer/generation.ts";
import type { BlockKind } from "../../core/answer/stream-event.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { AnswerEvents } from "../shared/answer-events.ts";
import { callIdOf, callNameOf } from "../shared/call-ids.ts";
import { endedWith, invalidAnswer, readEnding } from "../shared/endings.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { argumentsOf, inputOf } from "./object-text.ts";
import { ToldUsage } from "./read-usage.ts";
import { blockType, deltaType } from "./told-blocks.ts";

/** The member with the arguments of a call, in which numbers keep their digits (docs/rulings.md 193). */
export const INPUT: ReadonlySet<string> = new Set(["input"]);

/** A vendor's open block; `kind` is null for a block that other protocols cannot express. */
interface OpenWireBlock {
  readonly wire_index: unknown;
  readonly kind: BlockKind["kind"] | null;
  /** The member that holds the text, in the block and in its deltas. */
  readonly member: "text" | "thinking" | "partial_json" | "";
  /** The arguments of a call that came with its start, for calls that have no deltas. */
  readonly input: JsonRecord | null;
  has_text: boolean;
  opaque: Opaque | null;
}

/**
 * Reads the parsed events of a messages stream into neutral events. A whole message is read as the stream that would
 * build it.
 */
export class MessagesAnswerReader extends AnswerEvents {
  /** Set by the stop reason: all content has been read. */
  complete = false;
  #started = false;
  #index = -1;
  #open: OpenWireBlock | null = null;
  #stop_reason: string | null = null;
  #stop_sequence: string | null = null;
  readonly #call_ids = new Set<unknown>();
  readonly #told = new ToldUsage();

  /** Takes one vendor event. */
  take(type: string, data: JsonRecord): void {
    if (this.is_over) return;
    switch (type) {
      case "content_block_delta":
        return this.#takeDelta(data);
      case "content_block_start":
        return this.#startBlock(data);
      case "content_block_stop":
        return this.#endBlock();
      case "message_start":
        return this.#startMessage(data.message);
      case "message_delta":
        return this.#takeMessageDelta(data);
      case "message_stop":
        return this.finish();
      case "error":
        return this.fail(readErrorObject(data));
    }
  }

  /**
   * The usage so far. Before the answer's end these are the counts of its start: the exact input, and almost no output.
   */
  get usage(): Usage | null {
    return this.#told.usage(this.complete);
  }

  get rejected_usage(): unknown {
    return this.#told.rejected;
  }

  /** Ends the answer: the vendor's last frame arrived, or the stream was closed after the stop reason. */
  finish(): void {
    const raw_reason = this.#stop_reason;
    const reason = raw_reason === null ? "stop" : readEnding(raw_reason, this.#index >= 0);
    if (reason === "failed") return this.fail(endedWith(raw_reason ?? ""));
    this.#begin(null);
    this.#endBlock();
    this.complete = true;
    this.is_over = true;
    const stop_sequence = raw_reason === "stop_sequence" ? this.#stop_sequence : null;
    this.events.push({ type: "finish", reason, stop_sequence, raw_reason, usage: this.usage });
  }

  #startMessage(message: unknown): void {
    if (!isObject(message)) return;
    this.#told.take(message.usage, "start");
    this.#begin(message.id);
  }

  /** Adds the start event, only once: some servers send a second start. */
  #begin(id: unknown): void {
    if (this.#started) return;
    this.#started = true;
    this.events.push({ type: "start", id: typeof id === "string" ? id : null, created: null, usage: this.usage });
  }

  #startBlock({ index, content_block }: JsonRecord): void {
    this.#begin(null);
    this.#endBlock();
    const block: JsonRecord = isObject(content_block) ? content_block : {};
    const open = openBlock(index, block);
    this.#open = open;
    if (open.kind === null) return;
    this.events.push({ type: "block-start", index: ++this.#index, block: this.#kindOf(open.kind, block) });
    const text = block[open.member];
    if (typeof text === "string") this.#say(open, text);
  }

  #kindOf(kind: BlockKind["kind"], { id: told, name }: JsonRecord): BlockKind {
    if (kind !== "tool-call") return { kind };
    // Two calls of one id would be one call to a client.
    const id = callIdOf(this.#call_ids.has(told) ? null : told, "toolu");
    this.#call_ids.add(id);
    return { kind, id, name: callNameOf(name), tool: "function" };
  }

  /** The hot path: of a delta, only the member with the open block's text is read. */
  #takeDelta({ index, delta }: JsonRecord): void {
    const open = this.#open;
    if (!isObject(delta)) return;
    if (open === null || isOfAnother(index, open.wire_index)) {
      if (saysSomething(delta)) this.fail(outOfOrder(index));
      return;
    }
    const text = delta[open.member];
    if (typeof text === "string") this.#say(open, text);
    else if (deltaType(delta) === "signature_delta" && open.kind === "reasoning")
      open.opaque = signature(delta.signature);
  }

  #say(open: OpenWireBlock, text: string): void {
    if (text === "") return;
    open.has_text = true;
    this.events.push({ type: "block-delta", index: this.#index, text });
  }

  #endBlock(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.kind === null) return;
    if (open.input !== null && !open.has_text) this.#say(open, argumentsOf(open.input));
    const index = this.#index;
    this.events.push(
      open.opaque === null ? { type: "block-end", index } : { type: "block-end", index, opaque: open.opaque },
    );
  }

  #takeMessageDelta({ delta, usage }: JsonRecord): void {
    this.#told.take(usage, "end");
    if (!isObject(delta) || typeof delta.stop_reason !== "string") return;
    this.#stop_reason = delta.stop_reason;
    this.#stop_sequence = typeof delta.stop_sequence === "string" ? delta.stop_sequence : null;
    this.complete = true;
  }
}

const PLAIN = { input: null, has_text: false, opaque: null };

/** Opens a block. Calls and results of tools that the vendor runs itself, and blocks of unknown types, are skipped. */
function openBlock(wire_index: unknown, block: JsonRecord): OpenWireBlock {
  switch (blockType(block)) {
    case "text":
      return { wire_index, kind: "text", member: "text", ...PLAIN };
    case "thinking":
      return { wire_index, kind: "reasoning", member: "thinking", ...PLAIN, opaque: signature(block.signature) };
    case "redacted_thinking":
      return { wire_index, kind: "reasoning", member: "", ...PLAIN, opaque: redacted(block.data) };
    case "tool_use":
      return { wire_index, kind: "tool-call", member: "partial_json", ...PLAIN, input: inputIn(block) };
    default:
      return { wire_index, kind: null, member: "", ...PLAIN };
  }
}

/** A call's input; some servers send it as text. */
function inputIn({ input }: JsonRecord): JsonRecord {
  if (typeof input === "string") return inputOf(input);
  return isObject(input) ? input : {};
}

function signature(data: unknown): Opaque | null {
  return typeof data === "string" && data !== "" ? { family: "anthropic", form: "signature", data } : null;
}

function redacted(data: unknown): Opaque | null {
  return typeof data === "string" ? { family: "anthropic", form: "redacted", data } : null;
}

export function saysSomething({ text, thinking, partial_json }: JsonRecord): boolean {
  return [text, thinking, partial_json].some((said) => typeof said === "string" && said !== "");
}

/** Whether a piece is of another block than the open one. No two are open at once: an index may be missing. */
export function isOfAnother(index: unknown, open: unknown): boolean {
  return typeof index === "number" && typeof open === "number" && index !== open;
}

export function outOfOrder(index: unknown) {
  return invalidAnswer(
    `The model service sent more of block ${JSON.stringify(index)} of its answer, which is not open.`,
  );
}
