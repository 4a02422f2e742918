import { expect, test } from "bun:test";
import fc from "fast-check";
import { BodyPieces } from "./body-pieces.ts";

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40_000 })), {
  maxLength: 60,
});

test("pieces of any size join to what they were, and the next body begins empty", () => {
  fc.assert(
    fc.property(sizes, (lengths) => {
      const pieces = new BodyPieces();
      const sent = lengths.map((length, index) => Buffer.alloc(length, index));
      for (const piece of sent) pieces.add(piece);
      expect(pieces.bytes).toBe(Buffer.concat(sent).length);
      expect(pieces.join().equals(Buffer.concat(sent))).toBeTrue();
      expect(pieces.bytes).toBe(0);
      expect(pieces.join()).toHaveLength(0);
    }),
    { numRuns: 200 },
  );
});

test("a body of one piece is that piece", () => {
  const pieces = new BodyPieces();
  const piece = Buffer.from("{}");
  pieces.add(piece);
  expect(pieces.join()).toBe(piece);
});
