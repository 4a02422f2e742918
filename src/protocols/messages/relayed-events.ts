import type { VendorFailure } from "../../core/answer/exchange.ts";
import { COLON, SPACE } from "../../core/ascii.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { eventData, eventFrame } from "../shared/event-frames.ts";
import { isOfAnother, outOfOrder, saysSomething } from "./answer-reader.ts";
import { ObjectText } from "./object-text.ts";
import { relayedStop } from "./stop-reason.ts";
import { blockType, deltaType, missingMembers, readableBlock } from "./told-blocks.ts";

interface RelayedBlock {
  /** The index that the client gets, and the vendor's. */
  readonly index: number;
  readonly told: unknown;
  /** The vendor's index as its frames have it: a frame with these bytes is known to be the block's without parsing. */
  readonly needle: Buffer;
  /** The type of its deltas, as its first complete one has it: clients ignore a delta without a type. */
  delta_type: Buffer | null;
  /** The arguments of a call of the client's tools. */
  readonly input: ObjectText | null;
}

/**
 * The events of a relayed message with what official SDKs read without asking (docs/api.md 6.3): a start before all else
 * and only one, `content`, blocks that are numbered from 0 and end before the next begins, arguments that can be parsed,
 * and a stop reason before the end. A frame that lacks nothing is passed as it came.
 */
export class RelayedEvents {
  /** Set where the message is broken: by the vendor's own word, half a call, or a piece of a block that is not open. */
  failure: VendorFailure | null = null;
  /** Whether the message calls a tool of the client. */
  has_calls = false;
  readonly #model_id: string;
  readonly #usageAtStart: () => object;
  #is_started = false;
  #is_stopped = false;
  #has_half = false;
  #next = 0;
  #open: RelayedBlock | null = null;

  /** `usageAtStart` is shown where the vendor counts nothing at the start. */
  constructor(model_id: string, usageAtStart: () => object) {
    this.#model_id = model_id;
    this.#usageAtStart = usageAtStart;
  }

  /** The frames that the client gets for a frame that starts the message. */
  start(frame: Buffer, has_usage: boolean): Buffer[] {
    // Some servers send a second start.
    if (this.#is_started) return [];
    this.#is_started = true;
    const data = eventData(frame);
    const message: JsonRecord = isObject(data?.message) ? data.message : {};
    const missing = missingMembers(message, this.#model_id, () => newId("msg"));
    if (!Array.isArray(message.content)) missing.content = [];
    else if (!message.content.every(isObject)) missing.content = message.content.filter(isObject);
    if (!has_usage) missing.usage = this.#usageAtStart();
    if (Object.keys(missing).length === 0 && data?.type === "message_start") return [frame];
    return [eventFrame("message_start", { ...data, type: "message_start", message: { ...message, ...missing } })];
  }

  startBlock(frame: Buffer): Buffer[] {
    const data = eventData(frame) ?? {};
    if (!isObject(data.content_block)) return [];
    const told = data.content_block;
    const before = [...this.#missingStart(), ...this.#closed()];
    const index = this.#next;
    this.#next += 1;
    const type = blockType(told);
    this.has_calls ||= type === "tool_use";
    const input = CALLS.has(type) ? new ObjectText() : null;
    this.#open = { index, told: data.index, needle: writtenIndex(frame), delta_type: null, input };
    const content_block = readableBlock(told);
    const is_right = content_block === data.content_block && data.index === index;
    if (is_right && data.type === "content_block_start") return [...before, frame];
    return [
      ...before,
      eventFrame("content_block_start", { ...data, type: "content_block_start", index, content_block }),
    ];
  }

  /** The hot path: most pieces are only searched for their index and types. `has_text` says whether this piece has a text. */
  piece(frame: Buffer, has_text: boolean): Buffer | null {
    const open = this.#open;
    if (open !== null && has_text && isRightPiece(frame, open)) return frame;
    const data = eventData(frame);
    if (!isObject(data?.delta)) return null;
    if (open === null || isOfAnother(data.index, open.told)) {
      if (saysSomething(data.delta)) this.failure = outOfOrder(data.index);
      return null;
    }
    const typed = withType(data.delta);
    const delta = open.input === null ? typed : withReadable(typed, open.input);
    if (delta === null || isEmpty(delta)) return null;
    if (delta === data.delta && typeof delta.type === "string")
      open.delta_type = Buffer.from(JSON.stringify(delta.type));
    if (delta === data.delta && data.index === open.index && data.type === "content_block_delta") return frame;
    return eventFrame("content_block_delta", { ...data, type: "content_block_delta", index: open.index, delta });
  }

  endBlock(frame: Buffer): Buffer[] {
    const open = this.#open;
    if (open === null) return [];
    const is_right = open.told === open.index && hasNumber(frame, open.needle) && frame.includes(BLOCK_END);
    const closing = this.#closed();
    return is_right ? [...closing.slice(0, -1), frame] : closing;
  }

  /** Takes a frame with a stop reason, or with counts alone; a frame without an output count gets `counts`, which the vendor told before. */
  delta(frame: Buffer, counts: () => object): Buffer[] {
    const data = eventData(frame) ?? {};
    const told: JsonRecord = isObject(data.delta) ? data.delta : NO_STOP;
    const is_end = typeof told.stop_reason === "string" && told.stop_reason !== "";
    const before = [...this.#missingStart(), ...(is_end ? this.#closed() : [])];
    const delta = is_end ? this.#ended(told) : told;
    const counted: JsonRecord = isObject(data.usage) ? data.usage : {};
    const has_count = typeof counted.output_tokens === "number";
    if (has_count && delta === data.delta && data.type === "message_delta") return [...before, frame];
    const usage = has_count ? counted : { ...counted, ...counts() };
    return [...before, eventFrame("message_delta", { ...data, type: "message_delta", delta, usage })];
  }

  /** The last frame; a stop reason before it, where the vendor gave none. */
  end(frame: Buffer): Buffer[] {
    const is_right = RIGHT_END.test(frame.toString("latin1")) && eventData(frame)?.type === "message_stop";
    const end = is_right ? frame : eventFrame("message_stop", { type: "message_stop" });
    const before = [...this.#missingStart(), ...this.#closed()];
    if (this.#is_stopped) return [...before, end];
    const delta = { stop_reason: this.#stop(null), stop_sequence: null };
    const usage = { output_tokens: 0 };
    return [...before, eventFrame("message_delta", { type: "message_delta", delta, usage }), end];
  }

  /** The frames that close the block that is open. */
  close(): Buffer[] {
    return this.#closed();
  }

  #ended(told: JsonRecord): JsonRecord {
    const stop_reason = this.#stop(String(told.stop_reason));
    if (stop_reason === told.stop_reason) return told;
    const stop_sequence = stop_reason === "stop_sequence" ? told.stop_sequence : null;
    return { ...told, stop_reason, stop_sequence };
  }

  #stop(told: string | null): string {
    this.#is_stopped = true;
    const stop = relayedStop(told, { has_calls: this.has_calls, has_half: this.#has_half });
    if (typeof stop === "string") return stop;
    this.failure = stop;
    return "end_turn";
  }

  #missingStart(): Buffer[] {
    return this.#is_started ? [] : this.start(NO_FRAME, false);
  }

  #closed(): Buffer[] {
    const open = this.#open;
    this.#open = null;
    if (open === null) return [];
    const { index, input } = open;
    const stop = eventFrame("content_block_stop", { type: "content_block_stop", index });
    this.#has_half ||= input?.is_half === true;
    if (input === null || !input.is_broken || input.is_closed) return [stop];
    const delta = { type: "input_json_delta", partial_json: input.end() };
    return [eventFrame("content_block_delta", { type: "content_block_delta", index, delta }), stop];
  }
}

/** The blocks whose input clients parse while it comes. */
const CALLS: ReadonlySet<unknown> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);
/** The member with the text of a delta, by its type. */
const TEXTS: ReadonlyMap<unknown, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
  ["signature_delta", "signature"],
]);
/** The types of events as data has them, with their quotes; some vendors only name the event. */
const PIECE = Buffer.from('"content_block_delta"');
const BLOCK_END = Buffer.from('"content_block_stop"');
/** The last frame as clients read it: one name, and the type in its data. */
const RIGHT_END = /^event: ?message_stop\r?\ndata: ?\{[^\n]*"type" ?: ?"message_stop"[^\n]*\}\r?\n\r?\n$/;
const NO_FRAME = Buffer.alloc(0);
const NO_STOP = { stop_reason: null, stop_sequence: null };

/** Whether a piece of a block other than a call has the block's index and type, like the piece before it. */
function isRightPiece(frame: Buffer, { input, told, index, needle, delta_type }: RelayedBlock): boolean {
  if (input !== null || told !== index || delta_type === null) return false;
  return hasNumber(frame, needle) && frame.includes(delta_type) && frame.includes(PIECE);
}

/** Whether a delta lacks the text that clients add to what they have. */
function isEmpty(delta: JsonRecord): boolean {
  const member = TEXTS.get(delta.type);
  return member !== undefined && typeof delta[member] !== "string";
}

function withType(delta: JsonRecord): JsonRecord {
  const type = deltaType(delta);
  return type === null || type === delta.type ? delta : { ...delta, type };
}

/** A piece of arguments as far as a client can parse it; null where it can parse nothing of it. */
function withReadable(delta: JsonRecord, input: ObjectText): JsonRecord | null {
  const { type, partial_json } = delta;
  // Clients add nothing of another type to the arguments.
  if (type !== "input_json_delta") return delta;
  if (typeof partial_json !== "string") return delta;
  const read = input.push(partial_json);
  // Clients parse what has come so far after each piece, and blanks alone are no JSON.
  if (!input.is_broken) return input.has_begun || partial_json === "" ? delta : null;
  return read === "" ? null : { ...delta, partial_json: read };
}

const INDEX = Buffer.from('"index"');
const NO_INDEX = Buffer.from('"index":-');

/** The index as a frame has it, with its key: the other frames of its block have the same bytes. */
function writtenIndex(frame: Buffer): Buffer {
  const at = frame.indexOf(INDEX);
  let end = at + INDEX.length;
  while (frame[end] === COLON || frame[end] === SPACE) end++;
  const start = end;
  while (isDigit(frame[end])) end++;
  return at === -1 || end === start ? NO_INDEX : Buffer.from(frame.subarray(at, end));
}

/** Whether a frame has the key and number of `needle`, and not a longer number that begins alike. */
function hasNumber(frame: Buffer, needle: Buffer): boolean {
  const at = frame.indexOf(needle);
  if (at === -1) return false;
  return !isDigit(frame[at + needle.length]);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
