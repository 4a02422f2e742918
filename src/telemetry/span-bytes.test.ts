import { describe, expect, test } from "bun:test";
import { attribute, encoded, SpanBytes } from "./span-bytes.ts";

const STRING = 0x0a;

describe("a span's bytes", () => {
  test.each([0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER])("hold the number %d", (value) => {
    const bytes = new SpanBytes();
    bytes.int("n", value);
    const taken = Buffer.from(bytes.take());
    let read = 0n;
    const digits = [...taken.subarray(taken.indexOf(0x18, 5) + 1)];
    for (const [at, digit] of digits.entries()) read |= BigInt(digit & 0x7f) << BigInt(7 * at);
    expect(read).toBe(BigInt(value));
  });

  test.each(["", "short", "ä€😀", "x".repeat(300), "y".repeat(200_000)])("hold a text of any length", (value) => {
    const bytes = new SpanBytes();
    bytes.text("k", value);
    bytes.text("k", value);
    const once = attribute("k", encoded(STRING, value));
    expect(Buffer.from(bytes.take()).equals(Buffer.concat([once, once]))).toBeTrue();
    expect(bytes.take()).toHaveLength(0);
  });
});
