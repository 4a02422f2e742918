import { expect, test } from "bun:test";
import fc from "fast-check";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { WholeCharacters } from "./every-answer.ts";

function pass(pieces: readonly string[]): StreamEvent[] {
  const whole = new WholeCharacters();
  const out: StreamEvent[] = [];
  for (const text of pieces) whole.take({ type: "block-delta", index: 0, text }, (event) => out.push(event));
  whole.take({ type: "block-end", index: 0 }, (event) => out.push(event));
  return out;
}

const textsOf = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === "block-delta" ? event.text : ""));

test("a text in any pieces stays the same text, and each piece has whole characters only", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("🌊", "a", "é") }), fc.integer({ min: 1, max: 3 }), (text, size) => {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      const texts = textsOf(pass(pieces));
      expect(texts.join("")).toBe(text);
      for (const piece of texts) expect(piece.isWellFormed()).toBe(true);
    }),
  );
});

test("half a character at a block's end is passed on then", () => {
  expect(pass(["a\ud83c"])).toEqual([
    { type: "block-delta", index: 0, text: "a" },
    { type: "block-delta", index: 0, text: "\ud83c" },
    { type: "block-end", index: 0 },
  ]);
});
