import { isObject, type JsonRecord } from "../../core/json.ts";
import { callIdOf, callNameOf } from "../shared/call-ids.ts";
import { WholeObject } from "../shared/whole-object.ts";

/** A call of one choice as it is known so far. */
export interface KnownCall {
  /** The index that the client sees. */
  readonly place: number;
  readonly wire_index: number | null;
  readonly id: string;
  readonly name: string;
  readonly is_custom: boolean;
  /** The arguments so far; once they are whole JSON, no more arguments come. */
  readonly arguments: WholeObject;
  has_arguments: boolean;
}

/** What a delta says: whose call it is, whether it begins it, and the piece of arguments that it adds. */
export interface ToldDelta {
  readonly call: KnownCall;
  readonly is_new: boolean;
  readonly text: string;
}

/**
 * Tells to which call of a choice a delta belongs. Calls are known by their ids, then by their indexes, then by their
 * places: some servers give every call the index 0, some none, and some give no ids (docs/rulings.md 4).
 */
export class KnownCalls {
  readonly all: KnownCall[] = [];
  /** Made with the first call: most choices have none. */
  #by_id: Map<string, KnownCall> | null = null;
  #by_index: Map<number, KnownCall> | null = null;

  has(id: string): boolean {
    return this.#by_id?.has(id) === true;
  }

  byId(id: string): KnownCall | undefined {
    return this.#by_id?.get(id);
  }

  /** Takes a delta; `position` is its place in its chunk. */
  take(delta: JsonRecord, position: number): ToldDelta {
    const wire_index = isIndex(delta.index) ? delta.index : null;
    const id = typeof delta.id === "string" && delta.id !== "" ? delta.id : null;
    const is_custom = isObject(delta.custom);
    const declared: JsonRecord = is_custom
      ? (delta.custom as JsonRecord)
      : isObject(delta.function)
        ? delta.function
        : {};
    const name = callNameOf(declared.name);
    const text = argumentsText(declared);
    const known = this.#find({ wire_index, id, name, text }, position);
    if (known === undefined) {
      const call = this.#add({ wire_index, id, name, is_custom }, position);
      note(call, text);
      return { call, is_new: true, text };
    }
    // The same arguments may be told once more, when the call is whole.
    if (known.arguments.repeats(text)) return { call: known, is_new: false, text: "" };
    note(known, text);
    return { call: known, is_new: false, text };
  }

  #find({ wire_index, id, name, text }: CallDelta, position: number): KnownCall | undefined {
    const named = id === null ? undefined : this.byId(id);
    if (named !== undefined && (wire_index === null || named.wire_index === wire_index || name === "")) return named;
    const placed = this.#by_index?.get(wire_index ?? position);
    if (placed === undefined || (id !== null && id !== placed.id)) return undefined;
    return id === null && beginsAnew(placed, name, text) ? undefined : placed;
  }

  #add(
    { wire_index, id, name, is_custom }: Omit<CallDelta, "text"> & { is_custom: boolean },
    position: number,
  ): KnownCall {
    // Two calls of one id would be one call to a client.
    const own_id = callIdOf(id !== null && this.has(id) ? null : id, "call");
    const place = this.all.length;
    const told = { arguments: new WholeObject(), has_arguments: false };
    const call: KnownCall = { place, wire_index, id: own_id, name, is_custom, ...told };
    this.all.push(call);
    this.#by_id ??= new Map();
    this.#by_id.set(own_id, call);
    this.#by_index ??= new Map();
    this.#by_index.set(wire_index ?? position, call);
    return call;
  }
}

function note(call: KnownCall, text: string): void {
  call.has_arguments ||= text !== "";
  if (!call.is_custom) call.arguments.add(text);
}

interface CallDelta {
  readonly wire_index: number | null;
  readonly id: string | null;
  readonly name: string;
  readonly text: string;
}

/** Whether a delta without an id begins another call at the place of a known one. */
function beginsAnew({ name, arguments: known }: KnownCall, told_name: string, text: string): boolean {
  if (told_name === "") return false;
  return known.is_whole ? text !== "" : known.is_begun && told_name !== name;
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** A piece of the arguments. Some servers send them whole as a value, against the protocol. */
export function argumentsText(declared: JsonRecord): string {
  const told = declared.arguments ?? declared.input ?? "";
  return typeof told === "string" ? told : JSON.stringify(told);
}

/** A whole message without the calls that its deltas have told; by id, and by place where it gives no ids. */
export function untoldCalls(message: JsonRecord, known: KnownCalls): Record<string, unknown> {
  const { tool_calls, function_call, ...left } = message;
  const told = known.all.length;
  if (told === 0) return { ...message };
  if (!Array.isArray(tool_calls)) return left;
  const calls = tool_calls.filter((call: unknown, place) => {
    if (!isObject(call)) return false;
    return typeof call.id === "string" && call.id !== "" ? !known.has(call.id) : place >= told;
  });
  return { ...left, tool_calls: calls };
}
