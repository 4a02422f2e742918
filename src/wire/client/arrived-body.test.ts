import { expect, test } from "bun:test";
import { ArrivedBody } from "./arrived-body.ts";

/** An arrived body that has other bytes before and after it. */
function arrived(body: Buffer): ArrivedBody {
  return new ArrivedBody(Buffer.concat([Buffer.from("head"), body, Buffer.from("next")]), 4, 4 + body.length);
}

test.each(["{}", "naïve ☕ 😀", "a\0b"])("a body in UTF-8 is taken as text: %j", (text) => {
  expect(arrived(Buffer.from(text)).takeWhole()).toBe(text);
});

test.each([
  ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
  ["a cut character", Buffer.from("é").subarray(0, 1)],
  ["a replacement character", Buffer.from("\ufffd")],
  ["a byte order mark at the start", Buffer.from("\ufeff{}")],
])("a body that text cannot represent exactly is taken as bytes: %s", (_, body) => {
  const taken = arrived(body).takeWhole();
  expect(typeof taken).toBe("object");
  expect(Buffer.from(taken ?? "").equals(body)).toBe(true);
});

test("a body is taken or read once", async () => {
  const [taken, read, empty] = [arrived(Buffer.from("{}")), arrived(Buffer.from("{}")), arrived(Buffer.alloc(0))];
  expect([taken.takeWhole(), taken.takeWhole(), await taken.read()]).toEqual(["{}", null, null]);
  expect(String(await read.read())).toBe("{}");
  expect([await read.read(), read.takeWhole(), await empty.read()]).toEqual([null, null, null]);
});
