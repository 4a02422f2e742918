import { describe, expect, test } from "bun:test";
import zlib from "node:zlib";
import fc from "fast-check";
import { GatewayError } from "../../core/errors.ts";
import { BodyRoom, BodyShare } from "./body-room.ts";
import type { ContentCoding } from "./content-coding.ts";
import { unpackBody } from "./unpack-body.ts";

const PACK: Readonly<Record<ContentCoding, (data: Buffer) => Buffer>> = {
  gzip: (data) => zlib.gzipSync(data),
  deflate: (data) => zlib.deflateSync(data),
  br: (data) => zlib.brotliCompressSync(data),
  zstd: (data) => zlib.zstdCompressSync(data),
};
const CODINGS = Object.keys(PACK) as ContentCoding[];
const LIMIT_BYTES = 300_000;
/** More than all tests here take. */
const ROOM = new BodyRoom("all", Number.MAX_SAFE_INTEGER);

/** The outcome of unpacking: the text, or the error's code and sentence. */
async function outcome(data: Buffer, coding: ContentCoding, limit_bytes = LIMIT_BYTES): Promise<string> {
  try {
    return (await unpackBody(data, coding, { limit_bytes, share: new BodyShare(ROOM) })).toString();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return `${thrown.code}: ${thrown.message}`;
  }
}

describe.each(CODINGS)("%s", (coding) => {
  const pack = PACK[coding];
  const cannot = `invalid_json: The body cannot be unpacked as ${coding}: `;

  test("unpacks to the original text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 1, max: 60 }), async (bytes, times) => {
        const data = Buffer.concat(Array.from({ length: times }, () => Buffer.from(bytes)));
        const bounds = { limit_bytes: LIMIT_BYTES, share: new BodyShare(ROOM) };
        expect(await unpackBody(pack(data), coding, bounds)).toEqual(data);
      }),
      { numRuns: 60, seed: 20261122 },
    );
  });

  test("is refused when it is cut at any place", async () => {
    const packed = pack(Buffer.from(JSON.stringify({ text: Array.from({ length: 400 }, (_, n) => n) })));
    for (let length = 0; length < packed.length; length += 1)
      expect(await outcome(packed.subarray(0, length), coding)).toStartWith(cannot);
  });

  test.each(["x", "\0", "\0\0\0\0\0\0\0\0\0", '{"model": "other"}'])(
    "is refused with %p after its end",
    async (more) => {
      const packed = Buffer.concat([pack(Buffer.from("{}")), Buffer.from(more)]);
      expect(await outcome(packed, coding)).toStartWith(cannot);
    },
  );

  test("is refused when the data are in another format", async () => {
    expect(await outcome(Buffer.from('{"model": "acme/echo"}'), coding)).toStartWith(cannot);
  });

  test("is read at the size limit, and refused at one byte more", async () => {
    expect(await outcome(pack(Buffer.alloc(LIMIT_BYTES, "a")), coding)).toHaveLength(LIMIT_BYTES);
    expect(await outcome(pack(Buffer.alloc(LIMIT_BYTES + 1, "a")), coding)).toBe(
      `request_too_large: The body has more once its ${coding} is unpacked; at most ${LIMIT_BYTES} bytes are allowed.`,
    );
  });

  test("with any byte changed gives a text or an error of the client's", async () => {
    const packed = pack(Buffer.from("The quick brown fox. ".repeat(20)));
    await fc.assert(
      fc.asyncProperty(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(packed);
        changed[at] = (changed[at] ?? 0) ^ flip;
        expect(typeof (await outcome(changed, coding))).toBe("string");
      }),
      { numRuns: 150, seed: 20261122 },
    );
  });
});

test("deflate is also read without zlib's wrapping", async () => {
  expect(await outcome(zlib.deflateRawSync("{}"), "deflate")).toBe("{}");
});

test("several gzip members or zstd frames are joined", async () => {
  const skipped = Buffer.from("502a4d1803000000616263", "hex");
  expect(await outcome(Buffer.concat([zlib.gzipSync("a"), zlib.gzipSync("b")]), "gzip")).toBe("ab");
  const frames = [zlib.zstdCompressSync("a"), skipped, zlib.zstdCompressSync("b"), skipped];
  expect(await outcome(Buffer.concat(frames), "zstd")).toBe("ab");
});

test("zstd data that need a window of more than 8 MiB are refused", async () => {
  const params = { [zlib.constants.ZSTD_c_windowLog]: 25, [zlib.constants.ZSTD_c_enableLongDistanceMatching]: 1 };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const stream = zlib.createZstdCompress({ params });
  const pieces: Buffer[] = [];
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  stream.on("end", () => resolve(Buffer.concat(pieces)));
  stream.on("error", reject);
  stream.end(Buffer.alloc(40 * 2 ** 20));
  expect(await outcome(await promise, "zstd", 64 * 2 ** 20)).toBe(
    "invalid_json: The body cannot be unpacked as zstd: it is broken.",
  );
});

test("many bombs at once are each stopped at the limit, and a body after them is read", async () => {
  const bombs = CODINGS.map((coding) => [coding, PACK[coding](Buffer.alloc(8 * 2 ** 20))] as const);
  const running = Array.from({ length: 24 }, (_, index) => {
    const [coding, bomb] = bombs[index % bombs.length] as (typeof bombs)[number];
    return outcome(bomb, coding);
  });
  const after = outcome(zlib.gzipSync("{}"), "gzip");
  for (const told of await Promise.all(running)) expect(told).toStartWith("request_too_large");
  expect(await after).toBe("{}");
});
