import { describe, expect, test } from "bun:test";
import { booked, decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { PIECE_SIZES, withCrlf } from "../../../proofs/support/replay-stream.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import { gemini } from "./codec.ts";

const FIXTURES = new URL("../../../proofs/fixtures/gemini/", import.meta.url).pathname;
const target = targetFor("gemini");
const request = generation();

async function fixture(name: string): Promise<Buffer> {
  return Buffer.from(await Bun.file(FIXTURES + name).arrayBuffer());
}

async function whole(name: string) {
  return outcomeOf(gemini.decodeWhole(await fixture(`${name}.json`), target, request).events);
}

async function streamed(name: string) {
  return outcomeOf(decodeInPieces(gemini.openDecoder(target, request), await fixture(`${name}.sse`), null));
}

const SIGNATURE = "CtcBAdHtim9+fS3kq/0cV1bY+Zq2sX==/AAb+Q8sd/0P9uUz3mA==";
const OTHER_SIGNATURE = "EpQCCpECAb4+9vvKq7/Wm0+zR8yQd1k5c3=";
const signed = (data: string) => ({ opaque: { family: "google", form: "signature", data } });
const call = (id: string, name: string, args: object) => ({
  kind: "tool-call",
  tool: "function",
  id,
  name,
  text: JSON.stringify(args),
});
const usage = (input: number, output: number, reasoning: number, cached = 0) => ({
  input_tokens: input,
  cache_read_tokens: cached,
  cache_write_tokens: 0,
  output_tokens: output,
  reasoning_tokens: reasoning,
});

/** The expected answers of fixtures that exist both streamed and whole. */
const ANSWERS: Readonly<Record<string, object>> = {
  text: {
    id: "rW0jaYnQOfPl7M8Pw6bB2Ao",
    blocks: [{ kind: "text", text: "The sky is blue — déjà vu 🌍, mostly.", ...signed(SIGNATURE) }],
    reason: "stop",
    raw_reason: "STOP",
    usage: usage(9, 55, 41),
  },
  thoughts: {
    blocks: [
      { kind: "reasoning", text: "**Counting**\n\nFirst I look at each letter." },
      { kind: "text", text: "There are 3.", ...signed(OTHER_SIGNATURE) },
    ],
    usage: usage(12, 69, 64),
  },
  "tool-call": {
    blocks: [{ ...call("k3v7q1zs", "weather", { location: "Zürich", days: 2 }), ...signed(SIGNATURE) }],
    usage: usage(61, 114, 96),
  },
  "parallel-tools": {
    blocks: [
      { kind: "text", text: "I'll look both up." },
      { ...call("lpn4qlku", "weather", { city: "Paris" }), ...signed(SIGNATURE) },
      call("m6rogicj", "weather", { city: "Tokyo" }),
      call("q0p3ns7a", "now", {}),
    ],
  },
  "tools-without-ids": {
    blocks: [
      { ...call("call_nB8kaZ_TEsmv1MkP-aLW0QY_0", "weather", { city: "Paris" }), ...signed(OTHER_SIGNATURE) },
      call("call_nB8kaZ_TEsmv1MkP-aLW0QY_1", "weather", { city: "Tokyo" }),
    ],
  },
  "prompt-blocked": { blocks: [], reason: "content-filter", raw_reason: "PROHIBITED_CONTENT", usage: usage(9, 0, 0) },
  safety: {
    blocks: [{ kind: "text", text: "Well, first you" }],
    reason: "content-filter",
    raw_reason: "SAFETY",
    usage: usage(14, 4, 0),
  },
};

describe("an answer, streamed and whole,", () => {
  test.each(Object.keys(ANSWERS))("has the same outcome: %s", async (name) => {
    const answer = await whole(name);
    expect(answer).toMatchObject(ANSWERS[name] as object);
    expect(answer).toHaveProperty("blocks", (ANSWERS[name] as { blocks: unknown }).blocks);
    expect(await streamed(name)).toEqual(answer);
  });
});

describe("a whole answer", () => {
  test.each<[string, object]>([
    ["max-tokens", { blocks: [], reason: "length", usage: usage(11, 60, 60) }],
    ["cached", { usage: usage(128, 13, 12, 1920) }],
    ["tool-use-prompt", { usage: usage(144, 107, 56) }],
  ])("is read with its finish reason and usage: %s", async (name, expected) => {
    expect(await whole(name)).toMatchObject(expected);
  });

  test("has its usage checked, and a rejected usage is kept for the log", async () => {
    const { events, rejected_usage } = gemini.decodeWhole(await fixture("absurd-usage.json"), target, request);
    expect(outcomeOf(events)).toMatchObject({ usage: null, reason: "stop" });
    expect(rejected_usage).toMatchObject({ cachedContentTokenCount: 11, promptTokenCount: 10 });
  });

  test("has the log probabilities of its tokens, with their bytes", async () => {
    const token = (text: string, logprob: number) => ({ token: text, logprob, bytes: [...Buffer.from(text)] });
    expect(await whole("logprobs")).toMatchObject({
      blocks: [
        {
          text: "Hi!",
          logprobs: [
            { ...token("Hi", -0.1), top_logprobs: [token("Hi", -0.1), token("Hey", -2.5)] },
            { ...token("!", -0.3), top_logprobs: [token("!", -0.3)] },
          ],
        },
      ],
    });
  });

  test.each(["", "null", "[]", "{}", "<html></html>", '{"candidates":[]}', '{"candidates":[{"content":{}}]}'])(
    "that is no answer is an error: %s",
    (body) => {
      const { events } = gemini.decodeWhole(Buffer.from(body), target, request);
      expect(outcomeOf(events)).toMatchObject({ type: "error", status: 502 });
    },
  );
});

describe("a stream", () => {
  test.each<[string, unknown]>([
    ["recitation", { blocks: [], reason: "content-filter", raw_reason: "RECITATION" }],
    ["stop-in-every-chunk", { blocks: [{ text: "One, two." }], reason: "stop" }],
    ["without-usage", { blocks: [{ text: "ok" }], usage: null }],
    ["error-first", { type: "error", status: 503, message: expect.stringContaining("overloaded") }],
    ["error-midway", { type: "error", status: 503, message: expect.stringContaining("overloaded") }],
    ["error-bare", { type: "error", status: 503, message: expect.stringContaining("overloaded") }],
    ["malformed-call", { type: "error", status: 502, message: expect.stringContaining("MALFORMED_FUNCTION_CALL") }],
    ["other-without-content", { type: "error", status: 502, message: expect.stringContaining("OTHER") }],
  ])("is read to its end: %s", async (name, expected) => {
    expect(await streamed(name)).toMatchObject(expected as object);
  });

  test("that breaks off has no finish event", async () => {
    expect(await streamed("cut-in-the-middle")).toBe("unfinished");
  });

  test("keeps texts with signatures of their own in separate blocks", async () => {
    expect(await streamed("signed-between")).toHaveProperty("blocks", [
      { kind: "text", text: "First.", ...signed(SIGNATURE) },
      { kind: "text", text: " Second." },
    ]);
  });

  test("with data that cannot be parsed is an error, because content would be missing", () => {
    for (const line of ['data: {"broken": ', "data: [DONE]", "data: 7"]) {
      const events = decodeInPieces(gemini.openDecoder(target, request), Buffer.from(`${line}\n\n`), null);
      expect(outcomeOf(events)).toMatchObject({ type: "error", status: 502 });
    }
    const comment = gemini.openDecoder(target, request);
    expect(outcomeOf(decodeInPieces(comment, Buffer.from(": keep-alive\n\n"), null))).toBe("unfinished");
  });

  test("reports its usage before its end", async () => {
    const decoder = gemini.openDecoder(target, request);
    decoder.push(await fixture("cut-in-the-middle.sse"));
    expect(booked(decoder.usage)).toEqual(usage(9, 3, 0));
  });

  const names = [...new Bun.Glob("*.sse").scanSync(FIXTURES)];
  for (const size of PIECE_SIZES) {
    for (const [ends, change] of [
      ["LF", (bytes: Buffer) => bytes],
      ["CRLF", withCrlf],
    ] as const) {
      test.each(names)(`gives the same events in pieces of ${size ?? "any size"} with ${ends}: %s`, async (name) => {
        const bytes = await fixture(name);
        const plain = decodeInPieces(gemini.openDecoder(target, request), bytes, null);
        expect(decodeInPieces(gemini.openDecoder(target, request), change(bytes), size)).toEqual(plain);
        expect(plain.length).toBeGreaterThan(0);
      });
    }
  }
});

describe("an error answer", () => {
  test.each<[string, number, object]>([
    ["error-quota", 429, { status: 429, retry_after_ms: 34_400 }],
    ["error-key", 400, { status: 401 }],
    ["error-signature", 400, { status: 400, message: expect.stringContaining("thought_signature") }],
  ])("has its status and when to try again: %s", async (name, status, expected) => {
    expect(gemini.readError(status, (await fixture(`${name}.json`)).toString())).toMatchObject(expected);
  });
});
