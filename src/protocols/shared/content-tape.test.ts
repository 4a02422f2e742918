import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ContentTape } from "./content-tape.ts";

const DELTA = Buffer.from('"delta"');

function frame(data: string): Buffer {
  return Buffer.from(`event: x\ndata: ${data}\n\n`);
}

describe("a content tape", () => {
  test("gathers any text, however it is cut into deltas", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (pieces) => {
        const tape = new ContentTape();
        for (const delta of pieces) {
          expect(tape.take(frame(JSON.stringify({ type: "x.delta", delta, after: "delta" })), DELTA, 0)).toBe(
            delta !== "",
          );
        }
        expect(tape.text()).toBe(pieces.join(""));
        expect(tape.sample()).toBe(pieces.join(""));
        expect(tape.bytes).toBe(pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0));
      }),
    );
  });

  test("reads any stretch back by its positions", () => {
    const tape = new ContentTape();
    tape.take(frame('{"delta":"a\\n"}'), DELTA, 0);
    const from = tape.position;
    tape.take(frame('{"delta" : "b\\"c"}'), DELTA, 0);
    const to = tape.position;
    tape.take(frame('{"delta":"d"}'), DELTA, 0);
    expect(tape.text(from, to)).toBe('b"c');
  });

  test.each([
    ["there is no such key", '{"text":"a"}'],
    ["the key is only text", '{"text":"\\"delta\\":\\"a\\""}'],
    ["the key is a value", '{"type":"delta"}'],
    ["its value is no string", '{"delta":null}'],
    ["its value is empty", '{"delta":""}'],
    ["its value never ends", '{"delta":"abc\\"'],
  ])("takes nothing when %s", (_name, data) => {
    const tape = new ContentTape();
    expect(tape.take(Buffer.from(data), DELTA, 0)).toBe(false);
    expect([tape.bytes, tape.position, tape.text()]).toEqual([0, 0, ""]);
  });

  test("counts text beyond its limit, and keeps no text with a gap", () => {
    const tape = new ContentTape();
    const large = frame(JSON.stringify({ delta: "x".repeat(700_000) }));
    tape.take(large, DELTA, 0);
    tape.take(large, DELTA, 0);
    tape.take(frame('{"delta":"small"}'), DELTA, 0);
    expect(tape.bytes).toBe(1_400_005);
    expect(tape.text()).toBe("x".repeat(700_000));
  });

  test("returns only as much text as an estimate needs", () => {
    const tape = new ContentTape();
    const piece = frame(JSON.stringify({ delta: "y".repeat(100_000) }));
    for (let at = 0; at < 5; at++) tape.take(piece, DELTA, 0);
    expect(tape.sample()).toBe("y".repeat(200_000));
    expect(tape.text()).toBe("y".repeat(500_000));
  });

  test("keeps text that is no valid JSON unchanged", () => {
    const tape = new ContentTape();
    tape.take(Buffer.from('{"delta":"a\tb\\q"}'), DELTA, 0);
    expect(tape.text()).toBe("a\tb\\q");
  });
});
