import type { VendorFailure } from "../../core/answer/exchange.ts";
import { COLON, CR, LF, OPEN_BRACE, SPACE } from "../../core/ascii.ts";
import { isObject } from "../../core/json.ts";
import { parseExactUnder } from "./exact-json.ts";
import { parseJson } from "./parse-json.ts";
import { dataText, eventName, type SseFrames } from "./sse-frames.ts";

/** Frames of the protocols that name their events (docs/rulings.md 3): `event: <type>` before each `data:` line. */

const EVENT_FIELD_LENGTH = "event".length;
const DATA_FIELD = Buffer.from("data:");
const NOTHING: Buffer = Buffer.alloc(0);

/** A comment, which readers of events pass over (docs/rulings.md 194). */
export const COMMENT_BEAT: Uint8Array = Buffer.from(": keep-alive\n\n");

/** One event as a frame, its data on one line. */
export function eventFrame(type: string, data: object): Buffer {
  return eventTextFrame(type, JSON.stringify(data));
}

/** The same for data that is JSON text already. */
export function eventTextFrame(type: string, json: string): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${json}\n\n`);
}

/**
 * The event's name if the frame starts with it, as vendors write it; the empty string otherwise. Cheap enough for each
 * frame of a stream.
 */
export function leadingEventName(frame: Buffer): string {
  if (frame[EVENT_FIELD_LENGTH] !== COLON || frame[0] !== 101 || frame[1] !== 118) return "";
  const start = EVENT_FIELD_LENGTH + (frame[EVENT_FIELD_LENGTH + 1] === SPACE ? 2 : 1);
  let end = start;
  while (frame[end] !== LF && frame[end] !== CR && end < frame.length) end++;
  return frame.toString("latin1", start, end);
}

/**
 * A frame whose first line was not its event name, and that name; `bytes` is the frame as clients of these protocols
 * expect it.
 */
export interface NamedFrame {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Reads the event name of a frame whose first line is not the name, and puts it there. Where a vendor sends data lines only,
 * or an empty name, it is the data's `type`. The name is empty for comments and for data that is no event.
 */
export function nameFrame(frame: Buffer): NamedFrame {
  const written = eventName(frame);
  const data = written === "" ? eventData(frame) : null;
  if (written === "" && data === null) return nameBare(frame);
  const name = data === null ? written : data.type;
  if (typeof name !== "string") return { name: "", bytes: frame };
  return { name, bytes: Buffer.concat([Buffer.from(`event: ${name}\n`), frame]) };
}

/** In JSON a line end can only stand between two tokens, where a space means the same. */
const LINE_ENDS = /[\r\n]/g;

/** JSON in place of a stream is an event of its own type, or an error. */
function nameBare(frame: Buffer): NamedFrame {
  const data = bareObject(frame);
  const type = data === null ? undefined : (data.type ?? (isObject(data.error) ? "error" : undefined));
  return data === null || typeof type !== "string"
    ? { name: "", bytes: frame }
    : { name: type, bytes: eventTextFrame(type, frame.toString().trim().replaceAll(LINE_ENDS, " ")) };
}

/** The object of a frame that is JSON alone, without fields: a vendor's answer in place of a stream; else null. */
export function bareObject(frame: Buffer, exact_keys?: ReadonlySet<string>): Record<string, unknown> | null {
  return frame[0] === OPEN_BRACE ? parsedObject(frame.toString(), exact_keys) : null;
}

/**
 * The data of a frame, parsed, or null when it is not a JSON object. Under `exact_keys` numbers keep their digits
 * (docs/rulings.md 193).
 */
export function eventData(frame: Buffer, exact_keys?: ReadonlySet<string>): Record<string, unknown> | null {
  const text = soleDataLine(frame) ?? dataText(frame);
  return text === null ? null : parsedObject(text, exact_keys);
}

function parsedObject(text: string, exact_keys: ReadonlySet<string> | undefined): Record<string, unknown> | null {
  try {
    const data: unknown = exact_keys === undefined ? parseJson(text) : parseExactUnder(exact_keys, text);
    return isObject(data) ? data : null;
  } catch {
    return null;
  }
}

/**
 * The data of a frame of the usual form: a name, one line of data, LF. Null for frames of other forms, which are read
 * line by line.
 */
function soleDataLine(frame: Buffer): string | null {
  const start = frame.indexOf(LF) + 1;
  if (leadingEventName(frame) === "" || frame.indexOf(DATA_FIELD, start) !== start) return null;
  const end = frame.indexOf(LF, start);
  return end === frame.length - 2 ? frame.toString("utf8", start + DATA_FIELD.length, end) : null;
}

/** Several frames as the bytes to send: a single frame is returned uncopied. */
export function joinFrames<Bytes extends Uint8Array>(frames: readonly Bytes[]): Bytes | Buffer {
  if (frames.length === 0) return NOTHING;
  return frames.length === 1 ? (frames[0] as Bytes) : Buffer.concat(frames);
}

/** A stream that is over once it has ended or failed. */
interface FramedStream {
  readonly terminated: boolean;
  failure: VendorFailure | null;
}

/**
 * Has a stream take each frame that is whole until the stream is over, and returns the bytes to send for them. A fault of the frames is
 * the stream's failure.
 */
export function takeFrames<Bytes extends Uint8Array>(
  stream: FramedStream,
  frames: Pick<SseFrames, "next" | "fault">,
  take: (frame: Buffer) => Bytes | null,
): Bytes | Buffer {
  const shown: Bytes[] = [];
  while (!stream.terminated && stream.failure === null) {
    const frame = frames.next();
    if (frame === null) break;
    const piece = take(frame);
    if (piece !== null) shown.push(piece);
  }
  stream.failure ??= frames.fault;
  return joinFrames(shown);
}
