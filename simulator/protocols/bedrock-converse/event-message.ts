import { crc32 } from "node:zlib";

const PRELUDE = 12;
const CHECKSUM = 4;
const TEXT = 7;

/** A message of `application/vnd.amazon.eventstream`, whose headers are texts. */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(PRELUDE + head.length + body.length + CHECKSUM);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, PRELUDE);
  body.copy(message, PRELUDE + head.length);
  const end = message.length - CHECKSUM;
  message.writeUInt32BE(crc32(message.subarray(0, end)), end);
  return message;
}

export function event(type: string, payload: string): Uint8Array {
  return eventMessage({ ":event-type": type, ":content-type": "application/json", ":message-type": "event" }, payload);
}

/** A failure in a stream. */
export function exception(type: string, payload: string): Uint8Array {
  return eventMessage(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    payload,
  );
}

function header(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const bytes = Buffer.alloc(1 + name.length + 3 + text.length);
  bytes.writeUInt8(name.length, 0);
  bytes.write(name, 1, "latin1");
  bytes.writeUInt8(TEXT, 1 + name.length);
  bytes.writeUInt16BE(text.length, 2 + name.length);
  text.copy(bytes, 4 + name.length);
  return bytes;
}
