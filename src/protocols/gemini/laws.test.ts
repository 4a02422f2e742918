import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import { totalInput } from "../../core/money/usage.ts";
import { readGeminiUsage } from "../shared/gemini-usage.ts";
import { gemini } from "./codec.ts";

const target = targetFor("gemini");
const request = generation();

type Part = Record<string, unknown>;

/** A part of an answer, whole and in the pieces of a stream. */
interface SaidPart {
  readonly whole: Part;
  readonly pieces: readonly Part[];
}

const text = fc.string({ unit: CODE_POINT, minLength: 1, maxLength: 12 });
const signature = fc.option(fc.base64String({ minLength: 4, maxLength: 12 }), { nil: undefined });

const saidText: fc.Arbitrary<SaidPart> = fc
  .record({
    pieces: fc.array(text, { minLength: 1, maxLength: 4 }),
    thought: fc.boolean(),
    signature,
    late: fc.boolean(),
  })
  .map(({ pieces, thought, signature: thoughtSignature, late }) => {
    const kind = thought ? { thought } : {};
    const sign = thoughtSignature === undefined ? {} : { thoughtSignature };
    const parts: Part[] = pieces.map((piece) => ({ text: piece, ...kind }));
    // The signature comes on the last piece, or on an empty one after it.
    const last = late ? [...parts, { text: "", ...sign }] : [...parts.slice(0, -1), { ...parts.at(-1), ...sign }];
    return { whole: { text: pieces.join(""), ...kind, ...sign }, pieces: last };
  });

const saidCall: fc.Arbitrary<SaidPart> = fc
  .record({ args: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue()), id: fc.uuid(), signature })
  .map(({ args, id, signature: thoughtSignature }) => {
    const call = {
      functionCall: { name: "f", args, id },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    };
    return { whole: call, pieces: [call] };
  });

const answer = fc.array(fc.oneof(saidText, saidCall), { maxLength: 6 });

function responseWith(parts: readonly Part[], ends: boolean): object {
  const finish = ends ? { finishReason: "STOP" } : {};
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 };
  return { candidates: [{ content: { parts, role: "model" }, ...finish }], usageMetadata, responseId: "r-1" };
}

describe("any answer", () => {
  test("decodes equally from its stream and its whole form, in pieces of any size", () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 50 }), (parts, size) => {
        const whole = JSON.stringify(
          responseWith(
            parts.map((part) => part.whole),
            true,
          ),
        );
        const chunks = [
          ...parts.flatMap((part) => part.pieces.map((piece) => responseWith([piece], false))),
          responseWith([], true),
        ];
        const stream = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("");
        const streamed = decodeInPieces(gemini.openDecoder(target, request), Buffer.from(stream), size);
        const { events } = gemini.decodeWhole(Buffer.from(whole), target, request);
        expect(outcomeOf(streamed)).toEqual(outcomeOf(events));
      }),
    );
  });

  test("of random bytes becomes a legal sequence or none", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 4 }), (values) => {
        const stream = values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
        outcomeOf(decodeInPieces(gemini.openDecoder(target, request), Buffer.from(stream), null));
        for (const value of values)
          outcomeOf(gemini.decodeWhole(Buffer.from(JSON.stringify(value)), target, request).events);
      }),
    );
  });
});

describe("a usage", () => {
  const count = fc.integer({ min: 0, max: 2 ** 31 });

  test("is split into classes that sum up to the vendor's counts", () => {
    fc.assert(
      fc.property(
        fc.record({ prompt: count, part: count, tools: count, candidates: count, thoughts: count }),
        (counts) => {
          const { prompt, part, tools, candidates, thoughts } = counts;
          const cached = Math.min(prompt, part);
          const usage = readGeminiUsage({
            promptTokenCount: prompt,
            cachedContentTokenCount: cached,
            toolUsePromptTokenCount: tools,
            candidatesTokenCount: candidates,
            thoughtsTokenCount: thoughts,
          });
          expect(usage && totalInput(usage)).toBe(prompt + tools);
          expect(usage).toMatchObject({
            cache_read_tokens: cached,
            output_tokens: candidates + thoughts,
            reasoning_tokens: thoughts,
          });
        },
      ),
    );
  });
});
