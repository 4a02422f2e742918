import { describe, expect, test } from "bun:test";
import {
  HELD,
  modelOf,
  objectionTo,
  shapeOf,
  streamFrames,
  streamOf,
  translatedStreamOf,
  wholeAnswer,
} from "./exchange.ts";

const { first, deltas, last } = streamFrames("m", 64);
const sound = [first, ...deltas, last];

describe("the load generator", () => {
  test("accepts a sound stream and a sound answer", () => {
    expect(objectionTo(sound.join(""), streamOf(64))).toBeNull();
    expect(objectionTo(wholeAnswer("m"), { stream: false })).toBeNull();
  });

  test.each([
    ["a delta is missing", sound.toSpliced(20, 1), "63 of 64 deltas"],
    ["two deltas changed places", sound.toSpliced(20, 2, sound[21] ?? "", sound[20] ?? ""), "64 of 64 deltas"],
    ["a delta came twice", sound.toSpliced(20, 0, sound[20] ?? ""), "65 of 64 deltas"],
    ["the usage is missing", sound.map((frame) => frame.replace("completion_tokens", "x")), "usage"],
    ["the end is missing", sound.map((frame) => frame.replace("data: [DONE]\n\n", "")), "the end is missing"],
  ])("refuses a stream in which %s", (_what, frames, says) => {
    expect(objectionTo(frames.join(""), streamOf(64))).toContain(says);
  });

  test("accepts a stream that was held for as long as somebody wanted it, and none without a delta", () => {
    expect(objectionTo([first, ...deltas.slice(0, 3), last].join(""), HELD)).toBeNull();
    expect(objectionTo([first, last].join(""), HELD)).toContain("0 of 1 deltas");
    expect(objectionTo([first, ...deltas.slice(0, 3)].join(""), HELD)).toContain("usage");
  });

  test.each([":", ": "])("accepts a translated stream whose JSON has %p after a key", (colon) => {
    const event = (text: string): string => `data: ${text.replaceAll('":', `"${colon}`)}\n\n`;
    const delta = event('{"type":"content_block_delta","delta":{"type":"text_delta","text":" token-0"}}');
    const end = [event('{"type":"message_delta","usage":{"output_tokens":64}}'), event('{"type":"message_stop"}')];
    expect(objectionTo([delta, ...end].join(""), translatedStreamOf(1))).toBeNull();
    expect(objectionTo(end.join(""), translatedStreamOf(1))).toContain("0 of 1 deltas");
  });

  test("refuses an answer whose text was changed", () => {
    expect(objectionTo(wholeAnswer("m").replace("Water", "Wine"), { stream: false })).toContain("text");
  });
});

describe("a model's name", () => {
  test.each([{ stream: false } as const, streamOf(0), streamOf(64), HELD])(
    "carries the shape %p to the vendor",
    (shape) => {
      expect(shapeOf(`bench/${modelOf(shape)}`)).toEqual(shape);
      expect(shapeOf(modelOf(shape))).toEqual(shape);
    },
  );
});
