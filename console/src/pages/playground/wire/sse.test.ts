import { expect, test } from "bun:test";
import fc from "fast-check";
import { readFrames, SseDecoder, type SseFrame } from "./sse.ts";

const STREAM = ': hello\n\nevent: delta\ndata: {"a":1}\nid: 7\n\ndata: one\ndata:two\n\ndata: [DONE]\n\n';
const FRAMES: SseFrame[] = [
  { raw: ": hello", event: "message", data: null },
  { raw: 'event: delta\ndata: {"a":1}\nid: 7', event: "delta", data: '{"a":1}' },
  { raw: "data: one\ndata:two", event: "message", data: "one\ntwo" },
  { raw: "data: [DONE]", event: "message", data: "[DONE]" },
];

test.each(["\n", "\r\n", "\r"])("a stream in pieces of any size has the same frames (lines end in %j)", (line_end) => {
  const text = STREAM.replaceAll("\n", line_end);
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 })).map((all) => all.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(cuts, (places) => {
      const decoder = new SseDecoder();
      const ends = [...places, text.length];
      const frames = ends.flatMap((end, index) => decoder.push(text.slice(ends[index - 1] ?? 0, end)));
      expect([...frames, ...decoder.push("\n")].slice(0, FRAMES.length)).toEqual(FRAMES);
    }),
  );
});

test("a frame in which the stream breaks off is not returned, but `unfinished` has its text", () => {
  const decoder = new SseDecoder();
  expect(decoder.push("data: whole\n\ndata: bro")).toEqual([{ raw: "data: whole", event: "message", data: "whole" }]);
  expect(decoder.unfinished).toBe("data: bro");
});

test("bytes are read as UTF-8, also where a character is cut in two", async () => {
  const bytes = new TextEncoder().encode("data: señor 🙂\n\n");
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect((await Array.fromAsync(readFrames(body))).map(({ data }) => data)).toEqual(["señor 🙂"]);
});
