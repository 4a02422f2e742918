import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rejectionOf } from "../suite/books.ts";
import { ReaderOnDemand } from "./reader-on-demand.ts";
import { WorkerClient } from "./worker-client.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-reader-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A thread that answers each question after a while, with the number of its questions; it answers `close` at once. */
const ECHO = `
let asked = 0;
self.onmessage = ({ data: { id, task } }) => {
  asked += 1;
  const value = asked;
  if (task.kind === "close") return self.postMessage({ id, ok: true, value: null });
  if (task.kind === "ping") return self.postMessage({ id, ok: false, message: "no such table", is_conflict: false });
  setTimeout(() => self.postMessage({ id, ok: true, value }), 60);
};`;
await Bun.write(join(folder, "echo.ts"), ECHO);

function scene(idle_ms: number) {
  const started: WorkerClient[] = [];
  const reader = new ReaderOnDemand(() => {
    const thread = new WorkerClient(() => {}, new Worker(join(folder, "echo.ts")));
    started.push(thread);
    return thread;
  }, idle_ms);
  return { reader, started, ask: () => reader.ask<number>({ kind: "fold" }) };
}

async function untilClosed(reader: ReaderOnDemand): Promise<void> {
  while (reader.isOpen) await Bun.sleep(5);
}

test("no thread runs before the first question", async () => {
  const { reader, started } = scene(10);
  expect(reader.isOpen).toBe(false);
  await reader.close();
  expect(started).toEqual([]);
});

test("questions at once share a thread", async () => {
  const { reader, started, ask } = scene(60_000);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 2, 3]);
  expect(started.length).toBe(1);
  await reader.close();
});

test("a thread without questions is closed, and the next question starts another", async () => {
  const { reader, started, ask } = scene(20);
  expect(await ask()).toBe(1);
  await untilClosed(reader);
  expect(await ask()).toBe(1);
  expect(started.length).toBe(2);
  await reader.close();
});

test("a question that takes longer than the rest is answered", async () => {
  const { reader, started, ask } = scene(5);
  const answers: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const first = ask();
    await Bun.sleep(20);
    answers.push(...(await Promise.all([first, ask()])));
  }
  // However often it was closed in between, each thread has answered two at least.
  expect(answers.length).toBe(8);
  expect(started.length).toBeLessThanOrEqual(4);
  await reader.close();
});

test("a question that fails is told, and the thread is closed all the same", async () => {
  const { reader } = scene(5);
  expect(String(await rejectionOf(reader.ask({ kind: "ping" })))).toContain("no such table");
  await untilClosed(reader);
});
