import type { Opaque } from "../../core/answer/generation.ts";
import { isObject } from "../../core/json.ts";
import type { BlockSequence, OpenBlock } from "../shared/block-sequence.ts";
import { signatureIn } from "./extra-content.ts";
import { type KnownCall, KnownCalls } from "./known-calls.ts";

/**
 * Makes blocks of tool calls from the deltas of a chat stream. Calls may be written side by side; a call ends when its
 * arguments are whole and other content begins, else at the answer's end.
 */
export class CallDeltas {
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
