import { describe, expect, test } from "bun:test";
import { RandomIds } from "../observe/random-ids.ts";
import { attributeName, OtlpBytes } from "./otlp-bytes.ts";

const ATTRIBUTE = 0x4a;

describe("OpenTelemetry's bytes", () => {
  test.each([0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER])("hold the number %d", (value) => {
    const bytes = new OtlpBytes(new RandomIds());
    bytes.int(attributeName(ATTRIBUTE, "n"), value);
    const taken = Buffer.from(bytes.take());
    let read = 0n;
    const digits = [...taken.subarray(taken.indexOf(0x18, 5) + 1)];
    for (const [at, digit] of digits.entries()) read |= BigInt(digit & 0x7f) << BigInt(7 * at);
    expect(read).toBe(BigInt(value));
    bytes.attribute(ATTRIBUTE, "n", value);
    expect(Buffer.from(bytes.take()).equals(taken)).toBeTrue();
  });

  test.each(["", "short", "ä€😀", "x".repeat(300), "y".repeat(200_000)])("hold a text of any length", (value) => {
    const bytes = new OtlpBytes(new RandomIds());
    bytes.attribute(ATTRIBUTE, "k", value);
    const once = Buffer.from(bytes.take());
    expect(once.subarray(once.length - Buffer.byteLength(value)).toString()).toBe(value);
    bytes.attribute(ATTRIBUTE, "k", value);
    bytes.attribute(ATTRIBUTE, "k", value);
    expect(Buffer.from(bytes.take()).equals(Buffer.concat([once, once]))).toBeTrue();
    expect(bytes.take()).toHaveLength(0);
  });

  test("have each span within a call point to the call's, also where the buffer grows in between", () => {
    const bytes = new OtlpBytes(new RandomIds());
    const times = { began_ms: 1, ended_ms: 2 };
    const trace_id = "0123456789abcdef0123456789abcdef";
    const call = bytes.beginCall(0x12, trace_id, times);
    const [own_from, own_to] = [call + 20, call + 28];
    bytes.put(new Uint8Array(300_000));
    bytes.end(call);
    const inside = bytes.beginInside(0x12, "00000000000000ff", times);
    bytes.end(inside);
    const taken = Buffer.from(bytes.take());
    expect(taken.subarray(call + 2, call + 18).toString("hex")).toBe(trace_id);
    expect(taken.subarray(inside + 2, inside + 18).toString("hex")).toBe(trace_id);
    expect(taken.subarray(inside + 20, inside + 28).toString("hex")).toBe("00000000000000ff");
    expect(taken.subarray(inside + 30, inside + 38)).toEqual(taken.subarray(own_from, own_to));
  });
});
