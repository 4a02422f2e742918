import { describe, expect, test } from "bun:test";
import { modelOf, objectionTo, shapeOf, streamFrames, streamOf, wholeAnswer } from "./exchange.ts";

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

  test("refuses an answer whose text was changed", () => {
    expect(objectionTo(wholeAnswer("m").replace("Water", "Wine"), { stream: false })).toContain("text");
  });
});

describe("a model's name", () => {
  test.each([{ stream: false } as const, streamOf(0), streamOf(64)])("carries the shape %p to the vendor", (shape) => {
    expect(shapeOf(`bench/${modelOf(shape)}`)).toEqual(shape);
    expect(shapeOf(modelOf(shape))).toEqual(shape);
  });
});
