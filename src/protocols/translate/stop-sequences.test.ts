import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { legalEvents } from "../../../proofs/support/legal-events.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { EventOrder } from "./event-order.ts";
import { foldEvents } from "./fold-events.ts";
import { StopSequences } from "./stop-sequences.ts";

function pass(events: readonly StreamEvent[], sequences: readonly string[]) {
  const stop = new StopSequences(sequences);
  const out: StreamEvent[] = [];
  for (const event of events) stop.take(event, (emitted) => out.push(emitted));
  return { out, matched: stop.matched };
}

function textAnswer(pieces: readonly string[]): StreamEvent[] {
  return [
    { type: "start", id: null, created: null, usage: null },
    { type: "block-start", index: 0, block: { kind: "text" } },
    ...pieces.map((text): StreamEvent => ({ type: "block-delta", index: 0, text })),
    { type: "block-end", index: 0 },
    { type: "finish", reason: "length", stop_sequence: null, raw_reason: "max", usage: null },
  ];
}

const textOf = (events: readonly StreamEvent[]) => events.map((e) => (e.type === "block-delta" ? e.text : "")).join("");

/** Few letters, so that sequences match, overlap and nearly match all the time. */
const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
const someSequences = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 4 }), { maxLength: 3 });

/** The text of a model that stops as soon as its text ends with a sequence, the longest if several match. */
function cutAsWritten(text: string, sequences: readonly string[]): string {
  for (let length = 1; length <= text.length; length++) {
    const ends = sequences.filter((one) => one !== "" && text.slice(0, length).endsWith(one));
    if (ends.length > 0) return text.slice(0, length - Math.max(...ends.map((one) => one.length)));
  }
  return text;
}

describe("stop sequences", () => {
  test("cut the text before the first complete one, in pieces of any size", () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 6 }), someSequences, (pieces, sequences) => {
        const text = pieces.join("");
        const { out, matched } = pass(textAnswer(pieces), sequences);
        expect(textOf(out)).toBe(cutAsWritten(text, sequences));
        expect(matched !== null).toBe(sequences.some((one) => one !== "" && text.includes(one)));
      }),
      // Here the longer sequence begins before the shorter one but ends after it.
      {
        examples: [
          [
            ["ca", "b"],
            ["a", "cab"],
          ],
          [["cab"], ["a", "cab"]],
        ],
      },
    );
  });

  test("hold back text that may become one of them", () => {
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 6 }), someSequences, (pieces, sequences) => {
        const stop = new StopSequences(sequences);
        let written = "";
        let shown = 0;
        for (const event of textAnswer(pieces).slice(0, -2)) {
          if (event.type === "block-delta") written += event.text;
          stop.take(event, (emitted) => {
            if (emitted.type === "block-delta") shown += emitted.text.length;
          });
          if (stop.matched !== null) return;
          for (const one of sequences) {
            for (let length = 1; length < one.length; length++)
              if (written.endsWith(one.slice(0, length))) expect(shown).toBeLessThanOrEqual(written.length - length);
          }
        }
      }),
    );
  });

  test("end the answer with the sequence as its reason, and drop what the vendor writes afterwards", () => {
    const { out } = pass([...textAnswer(["one STO", "P two", " three"])], ["STOP"]);
    expect(out.slice(-2)).toEqual([
      { type: "block-end", index: 0 },
      { type: "finish", reason: "stop", stop_sequence: "STOP", raw_reason: "max", usage: null },
    ]);
    expect(textOf(out)).toBe("one ");
  });

  test("turn a failure after the cut into a good end: the client has its whole answer", () => {
    const events: StreamEvent[] = [
      ...textAnswer(["aXb"]).slice(0, 3),
      { type: "error", status: 500, message: "", retry_after_ms: null },
    ];
    expect(pass(events, ["X"]).out.at(-1)).toMatchObject({ type: "finish", stop_sequence: "X" });
  });

  test("are not looked for in reasoning and arguments, nor across blocks", () => {
    const { out, matched } = pass(
      [
        { type: "start", id: null, created: null, usage: null },
        { type: "block-start", index: 0, block: { kind: "reasoning" } },
        { type: "block-delta", index: 0, text: "ab" },
        { type: "block-end", index: 0 },
        { type: "block-start", index: 1, block: { kind: "text" } },
        { type: "block-delta", index: 1, text: "a" },
        { type: "block-end", index: 1 },
        { type: "block-start", index: 2, block: { kind: "text" } },
        { type: "block-delta", index: 2, text: "b" },
        { type: "block-end", index: 2 },
      ],
      ["ab"],
    );
    expect([textOf(out), matched]).toEqual(["abab", null]);
  });

  test("keep every answer legal, with its log probabilities where it is not cut", () => {
    fc.assert(
      fc.property(
        legalEvents({ logprobs: true }),
        fc.array(fc.constantFrom("a", '"', "\n", "🌊", "e1"), { maxLength: 2 }),
        (events, sequences) => {
          const { out, matched } = pass(events, sequences);
          const order = new EventOrder();
          for (const event of out) order.take(event);
          expect(out.at(-1)?.type).toBe("finish");
          if (matched === null) expect(foldEvents(out)).toEqual(foldEvents(events));
        },
      ),
    );
  });
});
