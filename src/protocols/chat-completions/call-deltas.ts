import { isObject } from "../../core/json.ts";
import type { Opaque } from "../../core/generation.ts";
import { signatureIn } from "./extra-content.ts";
import type { BlockSequence, OpenBlock } from "../shared/block-sequence.ts";
import { WholeObject } from "../shared/whole-object.ts";
import { callIdOf, callNameOf } from "../shared/told-call.ts";

interface Call {
  readonly id: string;
  readonly is_custom: boolean;
  readonly opened: OpenBlock;
  /** The arguments so far; once they are whole JSON, no more arguments come. */
  readonly arguments: WholeObject;
}

/**
 * Makes blocks of tool calls from the deltas of a chat stream. Calls are distinguished by their index and may be
 * written side by side; a call ends when its arguments are whole and other content begins, else at the answer's end.
 */
export class CallDeltas {
  readonly #blocks: BlockSequence;
  readonly #by_index = new Map<number, Call>();
  /** The first call of each id. */
  readonly #by_id = new Map<string, Call>();
  /** The calls that have not ended, and those of them whose arguments are whole. */
  readonly #open_calls = new Set<Call>();
  readonly #whole = new Set<Call>();
  /** Signatures by the ids of their calls, which may come before the calls themselves. */
  readonly #seals = new Map<string, Opaque>();

  constructor(blocks: BlockSequence) {
    this.#blocks = blocks;
  }

  take(deltas: readonly unknown[]): void {
    for (const [position, delta] of deltas.entries()) if (isObject(delta)) this.#takeOne(delta, position);
  }

  has(id: string): boolean {
    return this.#by_id.has(id);
  }

  /** Sets the signature of a call, and ends the call if it has begun: its signature comes last. */
  seal(id: string, opaque: Opaque): void {
    this.#seals.set(id, opaque);
    const call = this.#by_id.get(id);
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
    const index = typeof delta.index === "number" ? delta.index : position;
    const id = typeof delta.id === "string" && delta.id !== "" ? delta.id : null;
    const known = this.#by_index.get(index);
    // Some servers give every call the index 0, and distinguish calls by id.
    const call = known === undefined || (id !== null && id !== known.id) ? this.#open(delta, index, id) : known;
    const signature = signatureIn(delta);
    if (signature !== null) this.#seals.set(call.id, signature);
    const text = textOf(call.is_custom ? delta.custom : delta.function);
    if (text === "" || call.opened.ended) return;
    this.#blocks.add(call.opened, text);
    if (!call.is_custom) this.#note(call, text);
    if (this.#blocks.isAwaited(call.opened) && this.#whole.has(call)) this.#end(call);
  }

  #note(call: Call, text: string): void {
    call.arguments.add(text);
    if (call.arguments.is_whole) this.#whole.add(call);
    else this.#whole.delete(call);
  }

  #open(delta: Record<string, unknown>, index: number, id: string | null): Call {
    this.endWhole();
    const is_custom = isObject(delta.custom);
    const declared = is_custom ? delta.custom : delta.function;
    const name = callNameOf(isObject(declared) ? declared.name : null);
    const call_id = callIdOf(id, "call");
    const tool = is_custom ? "custom" : "function";
    const opened = this.#blocks.open({ kind: "tool-call", id: call_id, name, tool });
    const call: Call = { id: call_id, is_custom, opened, arguments: new WholeObject() };
    this.#by_index.set(index, call);
    if (!this.#by_id.has(call_id)) this.#by_id.set(call_id, call);
    this.#open_calls.add(call);
    return call;
  }

  #end(call: Call): void {
    this.#open_calls.delete(call);
    this.#whole.delete(call);
    this.#blocks.end(call.opened, this.#seals.get(call.id) ?? null);
  }
}

/** A piece of the arguments. Some servers send them whole as an object, against the protocol. */
function textOf(declared: unknown): string {
  if (!isObject(declared)) return "";
  const text = declared.arguments ?? declared.input;
  if (typeof text === "string") return text;
  return isObject(text) ? JSON.stringify(text) : "";
}
