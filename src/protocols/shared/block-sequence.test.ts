import { expect, test } from "bun:test";
import fc from "fast-check";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { BlockSequence, type OpenBlock } from "./block-sequence.ts";

/** The text of each block, from the events; throws where blocks overlap. */
function blocksOf(events: readonly StreamEvent[]): string[] {
  const blocks: string[] = [];
  let open = -1;
  for (const event of events) {
    if (event.type === "block-start") {
      expect([open, event.index]).toEqual([-1, blocks.length]);
      open = event.index;
      blocks.push("");
    } else if (event.type === "block-delta") {
      expect(event.index).toBe(open);
      blocks[open] += event.text;
    } else if (event.type === "block-end") {
      expect(event.index).toBe(open);
      open = -1;
    }
  }
  expect(open).toBe(-1);
  return blocks;
}

test("blocks that are written side by side become consecutive, whole and in order", () => {
  const step = fc.record({ at: fc.nat(5), what: fc.constantFrom("add", "add", "add", "end"), text: fc.string() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const events: StreamEvent[] = [];
      const sequence = new BlockSequence((event) => events.push(event));
      const opened: OpenBlock[] = [];
      const written: string[] = [];
      for (const { at, what, text } of steps) {
        const place = Math.min(at, opened.length);
        const block = opened[place] ?? sequence.open({ kind: "text" });
        if (place === opened.length) {
          opened.push(block);
          written.push("");
        }
        if (what === "end") sequence.end(block);
        else if (!block.ended) {
          sequence.add(block, text);
          written[place] += text;
        }
      }
      sequence.endAll();
      expect(blocksOf(events)).toEqual(written);
    }),
  );
});

test("the first open block is passed through as it arrives", () => {
  const events: StreamEvent[] = [];
  const sequence = new BlockSequence((event) => events.push(event));
  const one = sequence.open({ kind: "text" });
  const other = sequence.open({ kind: "refusal" });
  sequence.add(other, "later");
  sequence.add(one, "now");
  expect(sequence.isAwaited(one)).toBe(true);
  expect(events).toEqual([
    { type: "block-start", index: 0, block: { kind: "text" } },
    { type: "block-delta", index: 0, text: "now" },
  ]);
  const opaque = { family: "google", form: "signature", data: "s" } as const;
  sequence.end(one, opaque);
  expect(events.slice(2)).toEqual([
    { type: "block-end", index: 0, opaque },
    { type: "block-start", index: 1, block: { kind: "refusal" } },
    { type: "block-delta", index: 1, text: "later" },
  ]);
  expect(sequence.isAwaited(other)).toBe(false);
});
