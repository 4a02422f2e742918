import { expect, test } from "bun:test";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { NoEmptyReasoning } from "./every-answer.ts";

const REASONING = { kind: "reasoning" } as const;
const SIGNED = { family: "anthropic", form: "signature", data: "c2ln" } as const;

const start = (index: number, block: { kind: "reasoning" | "text" }): StreamEvent => ({
  type: "block-start",
  index,
  block,
});
const delta = (index: number, text: string): StreamEvent => ({ type: "block-delta", index, text });
const end = (index: number, opaque?: typeof SIGNED): StreamEvent => ({
  type: "block-end",
  index,
  ...(opaque && { opaque }),
});
const text = (index: number): readonly StreamEvent[] => [
  start(index, { kind: "text" }),
  delta(index, "So."),
  end(index),
];

function passed(...events: readonly StreamEvent[]): readonly StreamEvent[] {
  const pass = new NoEmptyReasoning();
  const out: StreamEvent[] = [];
  for (const event of events) pass.take(event, (each) => out.push(each));
  return out;
}

test.each([
  ["nothing at all", [start(0, REASONING), end(0)]],
  ["empty pieces", [start(0, REASONING), delta(0, ""), delta(0, ""), end(0)]],
])("reasoning of %s is left out, and the blocks behind it move up", (_name, reasoning) => {
  expect(passed(...reasoning, ...text(1))).toEqual([...text(0)]);
});

test.each([
  ["a text", [start(0, REASONING), delta(0, "Hm"), end(0)]],
  ["a text and a signature", [start(0, REASONING), delta(0, "Hm"), end(0, SIGNED)]],
  ["a signature alone", [start(0, REASONING), end(0, SIGNED)]],
])("reasoning with %s stays", (_name, reasoning) => {
  expect(passed(...reasoning, ...text(1))).toEqual([...reasoning, ...text(1)]);
});
