import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendLines, tryFolder } from "./append-lines.ts";
import { PostError } from "./guarded-client.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "camino-lines-"));
});
afterAll(() => rmSync(root, { recursive: true }));

const read = (name: string): string => readFileSync(join(root, "a/b", name), "utf8");

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => null,
    (thrown: unknown) => (thrown instanceof PostError ? thrown.message : thrown),
  );
}

test("lines follow each other in a file that is made with its folder", async () => {
  for (const line of ["one\n", "two\nthree\n"]) await appendLines(join(root, "a/b"), "x.jsonl", line);
  expect(read("x.jsonl")).toBe("one\ntwo\nthree\n");
});

test.each([
  ["a part of a line", 'one\n{"acc', "one\nnew\n"],
  ["nothing but a part of a line", '{"acc', "new\n"],
  ["a part that is longer than what is read at once", `one\n${"x".repeat(200_000)}`, "one\nnew\n"],
  ["whole lines", "one\ntwo\n", "one\ntwo\nnew\n"],
])("what a crash left goes before others follow: %s", async (_what, left, text) => {
  writeFileSync(join(root, "a/b/left.jsonl"), left);
  await appendLines(join(root, "a/b"), "left.jsonl", "new\n");
  expect(read("left.jsonl")).toBe(text);
});

test("a disk that is full is said to be full, and so are other reasons, without a path", async () => {
  symlinkSync("/dev/full", join(root, "full.jsonl"));
  expect(await failureOf(appendLines(root, "full.jsonl", "new\n"))).toBe("the disk is full");
  writeFileSync(join(root, "file"), "");
  expect(await failureOf(appendLines(join(root, "file"), "x.jsonl", "new\n"))).toBe("the path is no folder");
});

test("a folder is tried without a trace", async () => {
  for (const folder of [root, join(root, "new")]) {
    await tryFolder(folder);
    expect(existsSync(join(folder, ".camino-test"))).toBe(false);
  }
  expect(await failureOf(tryFolder(join(root, "file")))).toBe("the path is no folder");
});
