import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dataText, eventName, MAX_EVENT_BYTES, MAX_LINE_BYTES, SseFrames } from "./sse-frames.ts";

/** Feeds bytes in pieces of the given sizes, over and over, and returns the frames as text. */
function split(bytes: Buffer, sizes: readonly number[]): string[] {
  const frames = new SseFrames();
  const out: string[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    frames.feed(bytes.subarray(at, at + size));
    at += size;
    for (let frame = frames.next(); frame !== null; frame = frames.next()) out.push(frame.toString());
  }
  const last = frames.end();
  return last === null ? out : [...out, last.toString()];
}

const whole = (text: string) => split(Buffer.from(text), [Number.MAX_SAFE_INTEGER]);

describe("frames", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["LF", "data: a\n\ndata: b\n\n", ["data: a\n\n", "data: b\n\n"]],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["data: a\r\n\r\n", "data: b\r\n\r\n"]],
    ["CR", "data: a\r\rdata: b\r\r\n", ["data: a\r\r", "data: b\r\r\n"]],
    ["mixed line ends", "data: a\n\r\ndata: b\r\n\ndata: c\r\r\n", ["data: a\n\r\n", "data: b\r\n\n", "data: c\r\r\n"]],
    ["a byte order mark", "\uFEFFdata: a\n\n", ["data: a\n\n"]],
    ["a mark and blank lines", "\uFEFF\n\r\n\ndata: a\n\n", ["data: a\n\n"]],
    ["a mark that is none", "\u{F000}: a\n\n", ["\u{F000}: a\n\n"]],
    ["comments", ": hi\n\ndata: a\n: there\n\n", [": hi\n\n", "data: a\n: there\n\n"]],
    ["more blank lines than one", "data: a\n\n\n\ndata: b\n\n\n", ["data: a\n\n", "data: b\n\n"]],
    ["no blank line at the end", "data: a\n\ndata: b", ["data: a\n\n", "data: b\n\n"]],
    ["nothing", "", []],
    ["blank lines only", "\n\r\n\r\n", []],
  ];
  for (const [name, text, frames] of cases) {
    test(`are split with ${name}, in pieces of any size`, () => {
      const bytes = Buffer.from(text);
      expect(whole(text)).toEqual([...frames]);
      for (const size of [1, 2, 3, 7]) expect(split(bytes, [size])).toEqual([...frames]);
    });
  }

  test("are the same in any pieces, whatever the bytes", () => {
    const piece = fc.constantFrom(
      "data: x",
      "data:",
      "event: e",
      ": c",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "\uFEFF",
      "é",
      "id: 1",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(9), { minLength: 1 }), (pieces, sizes) => {
        const bytes = Buffer.from(pieces.join(""));
        const grown = sizes.map((size) => size + 1);
        expect(split(bytes, grown)).toEqual(split(bytes, [bytes.length + 1]));
      }),
      { numRuns: 2000 },
    );
  });

  test("lose only the line ends between them", () => {
    const line = fc.constantFrom("data: x\n", "data: y\r\n", "\n", "event: z\n", ": c\r\n");
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join("");
        const joined = whole(`${text}\n\n`).join("");
        expect(joined.replaceAll(/[\r\n]+/g, "\n")).toBe(`${text}\n`.replaceAll(/[\r\n]+/g, "\n").replace(/^\n/, ""));
      }),
    );
  });

  test("that lie in one chunk are views of it", () => {
    const chunk = Buffer.from("data: a\n\ndata: b\n\n");
    const frames = new SseFrames();
    frames.feed(chunk);
    const first = frames.next() as Buffer;
    expect(first.buffer === chunk.buffer && first.byteOffset === chunk.byteOffset).toBe(true);
  });

  test("keep their bytes when later chunks arrive", () => {
    const frames = new SseFrames();
    frames.feed(Buffer.from("data: on"));
    frames.next();
    frames.feed(Buffer.from("e\n\ndata: tw"));
    const first = frames.next() as Buffer;
    expect(frames.next()).toBeNull();
    frames.feed(Buffer.from("o\n\n"));
    expect(frames.next()?.toString()).toBe("data: two\n\n");
    expect(first.toString()).toBe("data: one\n\n");
  });
});

describe("limits", () => {
  /** The status of the fault, and how many frames were before it. */
  function feedAll(bytes: Buffer, size: number): readonly [number | undefined, number] {
    const frames = new SseFrames();
    let count = 0;
    for (let at = 0; at < bytes.length; at += size) {
      frames.feed(bytes.subarray(at, at + size));
      while (frames.next() !== null) count++;
    }
    return [frames.fault?.status, count];
  }
  const long_line = Buffer.from(`data: ${"x".repeat(MAX_LINE_BYTES)}\n\n`);
  const long_event = Buffer.from(`${`data: ${"x".repeat(1000)}\n`.repeat(MAX_EVENT_BYTES / 1000)}\n`);

  for (const size of [64 * 1024, 1000, Number.MAX_SAFE_INTEGER]) {
    test(`refuse a long line and a long event, ${size} bytes at a time`, () => {
      expect(feedAll(long_line, size)).toEqual([502, 0]);
      expect(feedAll(long_event, size)).toEqual([502, 0]);
      // The frames before it are given in any case, and none behind it.
      const more = Buffer.from("data: x\n\n");
      expect(feedAll(Buffer.concat([more, more, long_event, more]), size)).toEqual([502, 2]);
      expect(feedAll(Buffer.concat([Buffer.from(":\r\n\r\n"), long_line, more]), size)).toEqual([502, 1]);
    });
  }

  const EVENTS = [
    ["lists", "[],", "refused"],
    ["objects", '{"a":{}},', "refused"],
    ["numbers", "1,", "refused"],
    ["texts", '"",', "refused"],
    ["a text of what looks like values", `"${"[],".repeat(1000)}\\"{{{{\\\\",`, "allowed"],
  ];
  test.each(EVENTS)(
    "refuse an event of more values than the serving thread can read at once: %s",
    (_what, value, verdict) => {
      const line = `data: ${value.repeat(Math.floor((MAX_LINE_BYTES - 100) / value.length))}\n`;
      const event = Buffer.from(`:"\n${line.repeat(3)}\n`);
      const ended = new SseFrames();
      ended.feed(event.subarray(0, event.length - 1));
      while (ended.next() !== null);
      const last = ended.end();
      const expected = verdict === "refused" ? 502 : undefined;
      expect([feedAll(event, 65_536)[0], ended.fault?.status, last === null]).toEqual([
        expected,
        expected,
        verdict === "refused",
      ]);
    },
  );

  test("allow a line and an event that are just short enough", () => {
    const line = Buffer.from(`data: ${"x".repeat(MAX_LINE_BYTES - 10)}\n`);
    const event = Buffer.concat([line, line, line, Buffer.from("\n")]);
    expect(split(event, [65_536])).toEqual([event.toString()]);
  });
});

describe("fields of a frame", () => {
  test("are read as the standard says", () => {
    const frame = Buffer.from("id: 1\nevent: first\nevent:second\r\ndata:  a\rdata\ndata:b\n: no\nother: x\n\n");
    expect(eventName(frame)).toBe("second");
    expect(dataText(frame)).toBe(" a\n\nb");
  });

  test("are absent in a comment", () => {
    expect(dataText(Buffer.from(": x\n\n"))).toBeNull();
    expect(eventName(Buffer.from(": x\n\n"))).toBe("");
  });
});
