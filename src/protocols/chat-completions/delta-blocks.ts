import type { Opaque } from "../../core/answer/generation.ts";
import type { StreamEvent, TokenLogprob } from "../../core/answer/stream-event.ts";
import { isObject } from "../../core/json.ts";
import { BlockSequence, type OpenBlock } from "../shared/block-sequence.ts";
import { readLogprobs } from "../shared/read-logprobs.ts";
import { thinkingText } from "./decode-content.ts";
import { signatureIn } from "./extra-content.ts";
import { type KnownCall, KnownCalls, untoldCalls } from "./known-calls.ts";
import { asSeal, readDetail, sealsOtherPart, TEXT_SEAL } from "./reasoning-details.ts";

type Kind = "text" | "refusal" | "reasoning";

/** The members of a message that hold the text of a kind. */
const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  text: ["content"],
  refusal: ["refusal"],
  reasoning: ["reasoning_content", "reasoning", "reasoning_details"],
};

/**
 * Turns the deltas of a choice into blocks. Chat has no blocks: a block ends where content of another kind begins. A
 * whole message is read as one large delta.
 */
export class DeltaBlocks {
  has_refusal = false;
  readonly #blocks: BlockSequence;
  readonly #calls: CallDeltas;
  readonly #told = new Set<Kind>();
  /** The block of text, refusal or reasoning that is open. */
  #kind: Kind | null = null;
  #open: OpenBlock | null = null;
  /** Whether the reasoning's text comes in a field of its own; details then only repeat it. */
  #has_plain_reasoning = false;

  constructor(emit: (event: StreamEvent) => void) {
    this.#blocks = new BlockSequence(emit);
    this.#calls = new CallDeltas(this.#blocks);
  }

  take(delta: Record<string, unknown>, logprobs: unknown): void {
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === "string" && reasoning !== "") {
      this.#has_plain_reasoning = true;
      this.#add("reasoning", reasoning);
    }
    if (Array.isArray(delta.reasoning_details)) this.#takeDetails(delta.reasoning_details, false);
    const { content } = delta;
    if (typeof content === "string") {
      if (content !== "") this.#add("text", content, readLogprobs(isObject(logprobs) ? logprobs.content : null, false));
    } else if (Array.isArray(content)) this.#takeParts(content);
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.has_refusal = true;
      this.#add("refusal", delta.refusal);
    }
    if (Array.isArray(delta.tool_calls)) this.#takeCalls(delta.tool_calls);
    else if (isObject(delta.function_call)) this.#takeCalls([{ index: 0, function: delta.function_call }]);
    if (Array.isArray(delta.reasoning_details)) this.#takeDetails(delta.reasoning_details, true);
  }

  /** What of a whole message no delta has told: vendors repeat the message in their last chunk. */
  untold(message: Record<string, unknown>): Record<string, unknown> {
    const left = untoldCalls(message, this.#calls.known);
    const told = (["text", "reasoning", "refusal"] as const).filter((kind) => this.#told.has(kind));
    for (const kind of told) for (const member of MEMBERS[kind]) left[member] = null;
    return left;
  }

  end(): void {
    this.#endOpen();
    this.#calls.endAll();
  }

  #add(kind: Kind, text: string, logprobs?: readonly TokenLogprob[]): void {
    this.#told.add(kind);
    this.#blocks.add(this.#blockOf(kind), text, logprobs);
  }

  #blockOf(kind: Kind): OpenBlock {
    if (this.#kind === kind && this.#open !== null) return this.#open;
    this.#endOpen();
    this.#calls.endWhole();
    this.#kind = kind;
    this.#open = this.#blocks.open({ kind });
    return this.#open;
  }

  #endOpen(opaque: Opaque | null = null): void {
    if (this.#open !== null) this.#blocks.end(this.#open, opaque);
    this.#open = null;
    this.#kind = null;
  }

  /** Mistral's content, where text and thinking are parts. */
  #takeParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isObject(part)) continue;
      if (part.type === "thinking") {
        const thought = thinkingText(part.thinking);
        if (thought !== "") this.#add("reasoning", thought);
      } else if (typeof part.text === "string" && part.text !== "") this.#add("text", part.text);
    }
  }

  #takeCalls(deltas: readonly unknown[]): void {
    if (deltas.length === 0) return;
    this.#endOpen();
    this.#calls.take(deltas);
  }

  /**
   * In a whole message the signatures of text and calls stand before the text and calls, so they are read in a last
   * pass (`seals`).
   */
  #takeDetails(details: readonly unknown[], seals: boolean): void {
    for (const raw of details) {
      const detail = readDetail(raw);
      if (detail === null) continue;
      const { opaque } = detail;
      if (opaque?.id !== undefined && this.#isSeal(opaque)) {
        if (seals) this.#seal(opaque.id, asSeal(opaque));
      } else if (!seals) this.#takeReasoning(detail.text, opaque);
    }
  }

  /**
   * Whether an opaque value signs a call or text. Google signs nothing else, and its signature may come before the
   * call.
   */
  #isSeal(opaque: Opaque): boolean {
    return opaque.family === "google" || sealsOtherPart(opaque, this.#calls);
  }

  #seal(id: string, opaque: Opaque): void {
    if (id !== TEXT_SEAL) this.#calls.seal(id, opaque);
    else if (this.#kind === "text") this.#endOpen(opaque);
  }

  #takeReasoning(text: string, opaque: Opaque | null): void {
    if (text !== "" && !this.#has_plain_reasoning) this.#add("reasoning", text);
    if (opaque === null) return;
    this.#blockOf("reasoning");
    this.#endOpen(opaque);
  }
}

/**
 * Makes blocks of tool calls from the deltas of a chat stream. Calls may be written side by side; a call ends when its
 * arguments are whole and other content begins, else at the answer's end.
 */
class CallDeltas {
  readonly known = new KnownCalls();
  readonly #blocks: BlockSequence;
  readonly #opened: OpenBlock[] = [];
  /** The calls that have not ended, and those of them whose arguments are whole. */
  readonly #open_calls = new Set<KnownCall>();
  readonly #whole = new Set<KnownCall>();
  /** Signatures by the ids of their calls, which may come before the calls themselves. */
  readonly #seals = new Map<string, Opaque>();

  constructor(blocks: BlockSequence) {
    this.#blocks = blocks;
  }

  take(deltas: readonly unknown[]): void {
    for (const [position, delta] of deltas.entries()) if (isObject(delta)) this.#takeOne(delta, position);
  }

  has(id: string): boolean {
    return this.known.has(id);
  }

  /** Sets the signature of a call, and ends the call if it has begun: its signature comes last. */
  seal(id: string, opaque: Opaque): void {
    this.#seals.set(id, opaque);
    const call = this.known.byId(id);
    if (call !== undefined) this.#end(call);
  }

  /** Ends the calls whose arguments are whole, because content other than a call begins. */
  endWhole(): void {
    for (const call of this.#whole) this.#end(call);
  }

  endAll(): void {
    for (const call of this.#open_calls) this.#end(call);
  }

  #takeOne(delta: Record<string, unknown>, position: number): void {
    const { call, is_new, text } = this.known.take(delta, position);
    const opened = is_new ? this.#open(call) : this.#opened[call.place];
    const signature = signatureIn(delta);
    if (signature !== null) this.#seals.set(call.id, signature);
    if (opened === undefined || text === "" || opened.ended) return;
    this.#blocks.add(opened, text);
    if (call.arguments.is_whole) this.#whole.add(call);
    else this.#whole.delete(call);
    if (this.#blocks.isAwaited(opened) && this.#whole.has(call)) this.#end(call);
  }

  #open(call: KnownCall): OpenBlock {
    this.endWhole();
    const { id, name, is_custom } = call;
    const opened = this.#blocks.open({ kind: "tool-call", id, name, tool: is_custom ? "custom" : "function" });
    this.#opened.push(opened);
    this.#open_calls.add(call);
    return opened;
  }

  #end(call: KnownCall): void {
    this.#open_calls.delete(call);
    this.#whole.delete(call);
    const opened = this.#opened[call.place];
    if (opened !== undefined) this.#blocks.end(opened, this.#seals.get(call.id) ?? null);
  }
}
