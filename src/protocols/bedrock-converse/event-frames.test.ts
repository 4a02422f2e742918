import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { event, eventMessage, exception } from "../../../simulator/protocols/bedrock-converse/event-message.ts";
import { EventFrames } from "./event-frames.ts";

/** All messages of a stream, fed in pieces of a size. */
function framesOf(bytes: Uint8Array, size = bytes.length, frames = new EventFrames()) {
  const found = [];
  for (let at = 0; at < bytes.length; at += size) {
    frames.feed(Uint8Array.from(bytes.subarray(at, at + size)));
    for (let frame = frames.next(); frame !== null; frame = frames.next()) {
      found.push({ ...frame, payload: frame.payload.toString() });
    }
  }
  return found;
}

/** The example that AWS publishes for implementers: one text header, and a payload. */
const PUBLISHED = Buffer.from(
  "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
  "hex",
);

describe("a binary event stream", () => {
  test("is read like AWS's published example", () => {
    expect(framesOf(PUBLISHED)).toEqual([{ message_type: "event", name: "", payload: "{'foo':'bar'}" }]);
    expect(Buffer.from(eventMessage({ "content-type": "application/json" }, "{'foo':'bar'}"))).toEqual(PUBLISHED);
  });

  test("gives the same messages in pieces of any size", () => {
    const message = fc.record({
      type: fc.string({ unit: "grapheme-ascii", maxLength: 30 }),
      payload: fc.string({ unit: CODE_POINT }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), (messages, size) => {
        const bytes = Buffer.concat(messages.map(({ type, payload }) => event(type, payload)));
        const expected = messages.map(({ type, payload }) => ({
          message_type: "event",
          name: type,
          payload: Buffer.from(payload).toString(),
        }));
        expect(framesOf(bytes, size)).toEqual(expected);
      }),
    );
  });

  test("reports exceptions and errors by their names", () => {
    const error = eventMessage({ ":message-type": "error", ":error-code": "Failure", ":error-message": "No." }, "");
    expect(framesOf(Buffer.concat([exception("throttlingException", "{}"), error]))).toEqual([
      { message_type: "exception", name: "throttlingException", payload: "{}" },
      { message_type: "error", name: "Failure", payload: '{"message":"No."}' },
    ]);
  });

  test("skips headers of all types but text", () => {
    const values: readonly [number, Buffer][] = [
      [0, Buffer.alloc(0)],
      [1, Buffer.alloc(0)],
      [2, Buffer.alloc(1)],
      [3, Buffer.alloc(2)],
      [4, Buffer.alloc(4)],
      [5, Buffer.alloc(8)],
      [6, Buffer.from([0, 3, 1, 2, 3])],
      [8, Buffer.alloc(8)],
      [9, Buffer.alloc(16)],
    ];
    const headers = values.map(([type, value]) => Buffer.concat([Buffer.from([1, 120, type]), value]));
    const name = Buffer.from("\x0b:event-type\x07\x00\x02ok", "latin1");
    const bytes = withHeaders(Buffer.concat([...headers, name]));
    expect(framesOf(bytes)).toEqual([{ message_type: "event", name: "ok", payload: "" }]);
  });

  test.each<[string, Buffer]>([
    ["a changed length", changed(PUBLISHED, 3)],
    ["a changed header", changed(PUBLISHED, 20)],
    ["a changed payload", changed(PUBLISHED, PUBLISHED.length - 6)],
    ["a changed checksum", changed(PUBLISHED, PUBLISHED.length - 1)],
    ["a message that is too long", Buffer.from(event("x", " ".repeat(2 ** 20)))],
    ["a header of an unknown type", withHeaders(Buffer.from([1, 120, 10]))],
    ["a header that is longer than all headers", withHeaders(Buffer.from([1, 120, 7, 0, 9, 1]))],
    ["a header without a value", withHeaders(Buffer.from([1, 120]))],
    ["a web page", Buffer.from("<!doctype html><html></html>")],
  ])("with %s is rejected", (_what, bytes) => {
    for (const size of [bytes.length + PUBLISHED.length, 7]) {
      const frames = new EventFrames();
      // The message before it is given in any case, and none behind it.
      expect(framesOf(Buffer.concat([PUBLISHED, bytes, PUBLISHED]), size, frames)).toHaveLength(1);
      expect(frames.fault).toMatchObject({ status: 502 });
    }
  });
});

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

/** A message with these bytes as its headers, and with correct checksums. */
function withHeaders(headers: Buffer): Buffer {
  const message = Buffer.alloc(16 + headers.length);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(headers.length, 4);
  message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, 8)), 8);
  headers.copy(message, 12);
  message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, message.length - 4)), message.length - 4);
  return message;
}
