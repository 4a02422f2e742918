import { expect, test } from "bun:test";
import { formatBytes } from "./format-bytes.ts";

test.each([
  [0, "0 byte"],
  [1023, "1,023 byte"],
  [1024, "1 kB"],
  [1536, "1.5 kB"],
  [32 * 1024 ** 2, "32 MB"],
  [151.4 * 1024 ** 2, "151 MB"],
  [2.25 * 1024 ** 3, "2.3 GB"],
])("%d bytes are %p", (bytes, text) => {
  expect(formatBytes(bytes, "en-US")).toBe(text);
});
