import { expect, test } from "bun:test";
import fc from "fast-check";
import { deriveSubKeys } from "../sub-keys.ts";
import { drawFrom } from "./drawn-texts.ts";

const keys = deriveSubKeys("a root secret for tests");
const others = deriveSubKeys("another root secret for tests");

test("a seed gives the same texts every time, and other seeds and secrets give others", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.integer({ min: 20, max: 300 }), (seed, other, length) => {
      const text = drawFrom(keys, seed)(length);
      expect(text).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
      expect(drawFrom(keys, seed)(length)).toBe(text);
      expect(drawFrom(others, seed)(length)).not.toBe(text);
      if (seed !== other) expect(drawFrom(keys, other)(length)).not.toBe(text);
    }),
  );
});

test("draws give the parts of one text in turn, each once", () => {
  const draw = drawFrom(keys, "seed");
  expect(draw(40) + draw(22)).toBe(drawFrom(keys, "seed")(62));
});
