import { describe, expect, test } from "bun:test";
import { eventData, eventFrame, joinFrames, leadingEventName, nameFrame } from "./event-frames.ts";

const HELLO = eventFrame("message_stop", { type: "message_stop" });

describe("a frame of a style that names its events", () => {
  test("has its name before its data", () => {
    expect(HELLO.toString()).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });

  test.each([
    ["event: a.b\ndata: {}\n\n", "a.b"],
    ["event:a\r\ndata: {}\r\n\r\n", "a"],
    ["event: a\rdata: {}\r\r", "a"],
    ["data: {}\nevent: a\n\n", ""],
    [": comment\n\n", ""],
    ["eventual: a\n\n", ""],
  ])("is recognised by its first line: %j", (text, name) => {
    expect(leadingEventName(Buffer.from(text))).toBe(name);
  });

  test.each([
    ['data: {"type":"ping"}\n\n', "ping", 'event: ping\ndata: {"type":"ping"}\n\n'],
    ["id: 1\nevent: a\ndata: {}\n\n", "a", "event: a\nid: 1\nevent: a\ndata: {}\n\n"],
    [": comment\n\n", "", ": comment\n\n"],
    ["data: [DONE]\n\n", "", "data: [DONE]\n\n"],
    ["data: [1]\n\n", "", "data: [1]\n\n"],
  ])("that does not start with its name gets it in front: %j", (text, name, bytes) => {
    const named = nameFrame(Buffer.from(text));
    expect([named.name, named.bytes.toString()]).toEqual([name, bytes]);
  });

  test.each([
    'event: a\ndata: {"b":1}\n\n',
    'event: a\ndata:{"b":1}\n\n',
    'event: a\r\ndata: {"b":1}\r\n\r\n',
    'event: a\ndata: {"b":\ndata: 1}\n\n',
    'data: {"b":1}\nevent: a\n\n',
    'event: a\nid: 7\ndata: {"b":1}\n\n',
    'event: a\ndata: {"b":1}\nretry: 5\n\n',
  ])("returns its data in any legal notation: %j", (text) => {
    expect(eventData(Buffer.from(text))).toEqual({ b: 1 });
  });

  test("returns its data only when the data is an object", () => {
    expect(eventData(HELLO)).toEqual({ type: "message_stop" });
    for (const text of ["data: [1]\n\n", "data: {\n\n", ": x\n\n"]) expect(eventData(Buffer.from(text))).toBeNull();
  });

  test("is sent as the same bytes when it is alone", () => {
    expect(joinFrames([HELLO])).toBe(HELLO);
    expect(joinFrames([HELLO, HELLO]).toString()).toBe(HELLO.toString().repeat(2));
    expect(joinFrames([])).toHaveLength(0);
  });
});
