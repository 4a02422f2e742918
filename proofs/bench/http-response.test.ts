import { describe, expect, test } from "bun:test";
import { readResponse } from "./http-response.ts";

const WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
// A chunk whose content looks like the end of the body.
const CHUNKED =
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n8\r\n 0\r\n\r\n\r\n\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";

describe("a response", () => {
  test.each([
    ["with a length", WHOLE, "hello"],
    ["in chunks", CHUNKED, "hello 0\r\n\r\n\r\nabcdefghijklmnopqrstuvwxyz"],
  ])("%s is read when its last byte has come, and not before", (_how, bytes, body) => {
    for (let length = 0; length < bytes.length; length++) expect(readResponse(bytes.slice(0, length))).toBeNull();
    expect(readResponse(bytes)).toEqual({ status: 200, body });
  });

  test("that breaks the chunk format throws at once", () => {
    const broken = "HTTP/1.1 200 OK\r\n\r\nxyz\r\n0\r\n\r\n";
    expect(() => readResponse(broken)).toThrow("not a chunk size");
  });
});
