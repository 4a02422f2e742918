import { expect, test } from "bun:test";
import { GatewayError } from "../../core/errors.ts";
import { readContentCoding } from "./content-coding.ts";

test.each([
  [null, null],
  ["", null],
  ["identity", null],
  ["identity, identity", null],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
  ["identity, gzip", "gzip"],
  [", gzip ,", "gzip"],
] as const)("%p is %p", (header, coding) => {
  expect(readContentCoding(header)).toBe(coding);
});

test.each(["gzip, gzip", "gzip, br", "compress", "gzip;q=1", "gzipped", "aws-chunked", "dcb", '"gzip"', "gzip\u00a0"])(
  "%p is refused, with an error that names the coding",
  (header) => {
    let thrown: unknown = null;
    try {
      readContentCoding(header);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof GatewayError)) throw new Error("it was read");
    expect([thrown.code, thrown.row.status]).toEqual(["unsupported_content_encoding", 415]);
    expect(thrown.headers).toEqual({ "accept-encoding": "gzip, deflate, br, zstd" });
    expect(thrown.message).toContain(JSON.stringify(header));
  },
);
