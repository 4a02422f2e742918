import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import { event } from "../../../simulator/protocols/bedrock-converse/event-message.ts";
import { totalInput } from "../../core/money/usage.ts";
import { readUsage } from "./answer-reader.ts";
import { bedrockConverse } from "./codec.ts";

const target = targetFor("bedrock-converse");
const request = generation();

/** A block of an answer, in its whole form and in its streamed form. */
interface SaidBlock {
  readonly whole: object;
  readonly start: object | null;
  readonly deltas: readonly object[];
}

const pieces = fc.array(fc.string({ unit: CODE_POINT, minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });

const saidText = pieces.map(
  (texts): SaidBlock => ({ whole: { text: texts.join("") }, start: null, deltas: texts.map((text) => ({ text })) }),
);

const saidThought = fc.tuple(pieces, fc.base64String({ minLength: 4 })).map(([texts, signature]): SaidBlock => {
  const deltas = [...texts.map((text) => ({ text })), { signature }];
  return {
    whole: { reasoningContent: { reasoningText: { text: texts.join(""), signature } } },
    start: null,
    deltas: deltas.map((reasoningContent) => ({ reasoningContent })),
  };
});

const saidCall = fc
  .tuple(fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue()), fc.uuid(), fc.integer({ min: 1, max: 9 }))
  .map(([input, toolUseId, size]): SaidBlock => {
    // A stream carries the input as the model wrote it, here with the white space of the whole answer.
    const text = JSON.stringify(JSON.parse(JSON.stringify(input)));
    const parts = text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
    return {
      whole: { toolUse: { toolUseId, name: "f", input } },
      start: { toolUse: { toolUseId, name: "f" } },
      deltas: parts.map((part) => ({ toolUse: { input: part } })),
    };
  });

const answer = fc.array(fc.oneof(saidText, saidThought, saidCall), { maxLength: 5 });
const USAGE = { inputTokens: 3, outputTokens: 5, totalTokens: 8 };

function streamOf(blocks: readonly SaidBlock[]): Buffer {
  const events: [string, object][] = [["messageStart", { role: "assistant" }]];
  for (const [contentBlockIndex, { start, deltas }] of blocks.entries()) {
    if (start !== null) events.push(["contentBlockStart", { contentBlockIndex, start }]);
    for (const delta of deltas) events.push(["contentBlockDelta", { contentBlockIndex, delta }]);
    events.push(["contentBlockStop", { contentBlockIndex }]);
  }
  events.push(["messageStop", { stopReason: "end_turn" }], ["metadata", { usage: USAGE }]);
  return Buffer.concat(events.map(([name, data]) => event(name, JSON.stringify(data))));
}

describe("any answer", () => {
  test("decodes equally from its stream and its whole form, in pieces of any size", () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 200 }), (blocks, size) => {
        const content = blocks.map(({ whole }) => whole);
        const whole = { output: { message: { role: "assistant", content } }, stopReason: "end_turn", usage: USAGE };
        const { events } = bedrockConverse.decodeWhole(Buffer.from(JSON.stringify(whole)), target, request);
        const streamed = decodeInPieces(bedrockConverse.openDecoder(target, request), streamOf(blocks), size);
        expect(outcomeOf(streamed)).toEqual(outcomeOf(events));
      }),
    );
  });

  test("of random events in random order becomes a legal sequence or none", () => {
    const names = [
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockStop",
      "messageStop",
      "metadata",
      "other",
    ];
    const start = fc.constant({ toolUse: { toolUseId: "t", name: "f" } });
    const delta = fc.oneof(
      fc.record({ text: fc.string() }),
      fc.constant({ toolUse: { input: "{}" } }),
      fc.constant({ reasoningContent: { text: "t" } }),
      fc.constant({ reasoningContent: { redactedContent: "r" } }),
      fc.jsonValue(),
    );
    const data = fc.record({
      contentBlockIndex: fc.nat(2),
      start,
      delta,
      stopReason: fc.constantFrom("end_turn", "tool_use", 7),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...names), data), { maxLength: 12 }), (events) => {
        const bytes = Buffer.concat(events.map(([name, payload]) => event(name, JSON.stringify(payload))));
        const decoded = decodeInPieces(bedrockConverse.openDecoder(target, request), bytes, null);
        const ended = events.some(([name]) => name === "messageStop");
        expect(outcomeOf(decoded) === "unfinished").toBe(!ended);
      }),
      { numRuns: runs(125) },
    );
  });

  test("with random content becomes a legal sequence", () => {
    const block = fc.oneof(fc.jsonValue(), fc.constant({ toolUse: {} }), fc.constant({ reasoningContent: {} }));
    fc.assert(
      fc.property(fc.array(block), fc.jsonValue(), (content, usage) => {
        const body = JSON.stringify({ output: { message: { content } }, usage, stopReason: "end_turn" });
        expect(outcomeOf(bedrockConverse.decodeWhole(Buffer.from(body), target, request).events)).toHaveProperty(
          "reason",
          "stop",
        );
      }),
    );
  });
});

describe("a usage", () => {
  const count = fc.integer({ min: 0, max: 2 ** 31 });

  test("is in classes that sum up to all input", () => {
    fc.assert(
      fc.property(count, count, count, (inputTokens, cacheReadInputTokens, cacheWriteInputTokens) => {
        const usage = readUsage({ inputTokens, cacheReadInputTokens, cacheWriteInputTokens, outputTokens: 1 });
        expect(usage && totalInput(usage)).toBe(inputTokens + cacheReadInputTokens + cacheWriteInputTokens);
      }),
    );
  });

  test("that cannot be believed is null", () => {
    const nonsense = fc.oneof(
      fc.integer({ max: -1 }),
      fc.double({ noInteger: true }),
      fc.string(),
      fc.constant(2 ** 32),
    );
    fc.assert(
      fc.property(nonsense, fc.constantFrom("inputTokens", "outputTokens", "cacheReadInputTokens"), (value, field) => {
        expect(readUsage({ inputTokens: 1, outputTokens: 1, [field]: value })).toBeNull();
      }),
    );
    expect(readUsage({ inputTokens: 1 })).toBeNull();
  });
});
