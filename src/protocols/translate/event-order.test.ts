import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { legalEvents } from "../../../proofs/support/legal-events.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { EventOrder } from "./event-order.ts";
import { foldEvents } from "./fold-events.ts";

const START: StreamEvent = { type: "start", id: "v1", created: 7, usage: null };
const FINISH: StreamEvent = { type: "finish", reason: "stop", stop_sequence: null, raw_reason: "end", usage: null };
const ERROR: StreamEvent = { type: "error", status: 500, message: "x", retry_after_ms: null };
const open = (index: number): StreamEvent => ({ type: "block-start", index, block: { kind: "text" } });
const add = (index: number): StreamEvent => ({ type: "block-delta", index, text: "x" });
const end = (index: number): StreamEvent => ({ type: "block-end", index });

function orderOf(events: readonly StreamEvent[]): EventOrder {
  const order = new EventOrder();
  for (const event of events) order.take(event);
  return order;
}

describe("the order of events", () => {
  test("holds for every legal answer, and for an answer that an error cuts off", () => {
    fc.assert(
      fc.property(legalEvents(), fc.nat(20), (events, cut) => {
        orderOf(events);
        orderOf([...events.slice(0, Math.min(cut, events.length - 1)), ERROR]);
      }),
    );
  });

  const illegal: readonly (readonly [string, readonly StreamEvent[]])[] = [
    ["a block before the start", [open(0)]],
    ["a second start", [START, START]],
    ["a block that does not begin at 0", [START, open(1)]],
    ["a block inside a block", [START, open(0), open(1)]],
    ["the same block again", [START, open(0), end(0), open(0)]],
    ["a delta outside of blocks", [START, add(0)]],
    ["a delta of another block", [START, open(0), end(0), open(1), add(0)]],
    ["an end of another block", [START, open(0), end(1)]],
    ["a finish inside a block", [START, open(0), FINISH]],
    ["a finish before the start", [FINISH]],
    ["a second finish", [START, FINISH, FINISH]],
    ["an error after the finish", [START, FINISH, ERROR]],
    ["a block after the finish", [START, FINISH, open(0)]],
  ];
  for (const [name, events] of illegal) {
    test(`is broken by ${name}, which reaches no client`, () => {
      orderOf(events.slice(0, -1));
      expect(() => orderOf(events)).toThrow("could not be translated");
    });
  }

  test("knows which block is open", () => {
    expect(orderOf([START]).open).toBe(-1);
    expect(orderOf([START, open(0), end(0), open(1), add(1)]).open).toBe(1);
  });
});

describe("the fold of events", () => {
  test("is the answer with whole blocks", () => {
    const usage = {
      input_tokens: 1,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 2,
      reasoning_tokens: 0,
    };
    const opaque = { family: "anthropic", form: "signature", data: "s" } as const;
    const logprob = { token: "x", logprob: -1, bytes: null, top_logprobs: [] };
    const events: StreamEvent[] = [
      { ...START, usage },
      { type: "block-start", index: 0, block: { kind: "reasoning" } },
      add(0),
      add(0),
      { type: "block-end", index: 0, opaque },
      open(1),
      { type: "block-delta", index: 1, text: "y", logprobs: [logprob] },
      { type: "block-delta", index: 1, text: "z", logprobs: [logprob] },
      end(1),
      FINISH,
    ];
    expect(foldEvents(events)).toEqual({
      id: "v1",
      created: 7,
      blocks: [
        { kind: "reasoning", text: "xx", opaque },
        { kind: "text", text: "yz", logprobs: [logprob, logprob] },
      ],
      reason: "stop",
      stop_sequence: null,
      raw_reason: "end",
      usage,
    });
  });

  test("is null without a finish event, or with an error", () => {
    for (const events of [[], [START], [START, open(0), end(0)], [START, ERROR]]) expect(foldEvents(events)).toBeNull();
  });
});
