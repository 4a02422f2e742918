import { expect, test } from "bun:test";
import fc from "fast-check";
import { SlicedBytes } from "./sliced-bytes.ts";

const MIB = 2 ** 20;

/** The pieces that a taker gets which asks for the next piece at once. */
async function taken(source: SlicedBytes): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const taker = {
    take: (piece: Uint8Array) => {
      pieces.push(piece);
      source.pull(taker);
    },
    end: (last: Uint8Array) => {
      pieces.push(last);
      resolve();
    },
    fail: reject,
  };
  source.pull(taker);
  await promise;
  return pieces;
}

test("all bytes come in their order, at most a mebibyte at a time", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(3), fc.integer({ min: MIB - 1, max: 2 * MIB + 1 })), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const parts = lengths.map((length, at) => Buffer.alloc(length, 97 + at));
      const pieces = await taken(new SlicedBytes(parts));
      expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
      expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(MIB);
    }),
    { numRuns: 20 },
  );
});

test("a client that has left gets nothing more", async () => {
  const source = new SlicedBytes([Buffer.from("unread")]);
  const pieces: Uint8Array[] = [];
  const note = (piece: Uint8Array) => void pieces.push(piece);
  source.pull({ take: note, end: note, fail: () => {} });
  source.abort();
  await Bun.sleep(1);
  expect(pieces).toEqual([]);
});
