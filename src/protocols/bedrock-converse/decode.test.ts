import { describe, expect, test } from "bun:test";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { PIECE_SIZES } from "../../../proofs/support/replay-stream.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import { bedrockConverse } from "./codec.ts";

const FIXTURES = new URL("../../../proofs/fixtures/bedrock-converse/", import.meta.url).pathname;
const target = targetFor("bedrock-converse", { upstream_model: "moonshot.kimi-k2" });
const claude = targetFor("bedrock-converse", { upstream_model: "us.anthropic.claude-sonnet-4-6" });
const request = generation();

async function fixture(name: string): Promise<Buffer> {
  return Buffer.from(await Bun.file(FIXTURES + name).arrayBuffer());
}

async function whole(name: string, of = target) {
  return outcomeOf(bedrockConverse.decodeWhole(await fixture(`${name}.json`), of, request).events);
}

async function streamed(name: string, of = target) {
  return outcomeOf(
    decodeInPieces(bedrockConverse.openDecoder(of, request), await fixture(`${name}.eventstream`), null),
  );
}

const SIGNATURE = "Ep0CCkgICxABGAIqQOWPB6/PmA5SW9jC6FvaNq3E+U9ev4FMWcFWuAho+VGL==";
const HIDDEN = "cnNuX3BVUGgxNnRvNFZLWURnSkFQeW1iRUFJRmVCTFpzSm15+/==";
const call = (id: string, name: string, text: string) => ({ kind: "tool-call", tool: "function", id, name, text });
const usage = (input: number, output: number, cache_read = 0, cache_write = 0) => ({
  input_tokens: input,
  cache_read_tokens: cache_read,
  cache_write_tokens: cache_write,
  output_tokens: output,
  reasoning_tokens: 0,
});

/** The expected outcomes of answers that are recorded both streamed and whole. */
const ANSWERS: Readonly<Record<string, { blocks: unknown }>> = {
  text: { blocks: [{ kind: "text", text: "The sky is blue — déjà vu 🌍." }] },
  reasoning: {
    blocks: [
      {
        kind: "reasoning",
        text: "Let me count the letters.",
        opaque: { family: "bedrock", form: "signature", data: SIGNATURE },
      },
      { kind: "text", text: "There are 3." },
    ],
  },
  redacted: {
    blocks: [
      { kind: "reasoning", text: "", opaque: { family: "bedrock", form: "redacted", data: HIDDEN } },
      call("call_61f8fcbe423a5869", "propose", '{"groups":["Sales"]}'),
    ],
  },
  "parallel-tools": {
    blocks: [
      { kind: "text", text: "I'll look both up." },
      call("tooluse_j6gIgqF8PljNKBylAe15oP", "weather", '{"city":"Paris"}'),
      call("tooluse_9xYq2KfLTzmS4rWvB1cD0A", "weather", '{"city":"Tokyo"}'),
      call("tooluse_Zz0noArgsAtAll00000000", "now", "{}"),
    ],
  },
  "stop-sequence": { blocks: [{ kind: "text", text: "before" }] },
};

describe("an answer, streamed and whole,", () => {
  test.each(Object.keys(ANSWERS))("has the same outcome: %s", async (name) => {
    const answer = await whole(name);
    expect(answer).toHaveProperty("blocks", ANSWERS[name]?.blocks);
    expect(await streamed(name)).toEqual(answer);
  });

  test("reports its stop sequence and its usage", async () => {
    expect(await whole("stop-sequence")).toMatchObject({
      reason: "stop",
      stop_sequence: "END",
      raw_reason: "stop_sequence",
      usage: usage(9, 2),
    });
  });

  test("of an Anthropic model has signatures that are valid on every platform of Anthropic's models", async () => {
    expect(await streamed("reasoning", claude)).toMatchObject({ blocks: [{ opaque: { family: "anthropic" } }, {}] });
    expect(await streamed("redacted", claude)).toMatchObject({ blocks: [{ opaque: { family: "bedrock" } }, {}] });
  });
});

describe("a stream", () => {
  test.each<[string, object]>([
    ["max-tokens", { reason: "length" }],
    ["guardrail", { reason: "content-filter", raw_reason: "guardrail_intervened" }],
    ["content-filtered", { reason: "content-filter", blocks: [] }],
    ["malformed-tool-use", { type: "error", status: 502, message: expect.stringContaining("malformed_tool_use") }],
    ["cached", { usage: usage(4, 1, 1491, 200) }],
    [
      "side-by-side",
      {
        blocks: [call("a1", "weather", '{"city":"Paris"}'), call("b2", "time", '{"zone":"CET"}')],
        reason: "tool-calls",
      },
    ],
    ["without-metadata", { reason: "stop", usage: null }],
    ["without-stops", { blocks: [{ text: "ok" }] }],
    ["absurd-usage", { usage: null, reason: "stop" }],
    ["throttled-first", { type: "error", status: 429 }],
    ["error-midway", { type: "error", status: 424, message: expect.stringContaining("unexpected error") }],
    ["unavailable-midway", { type: "error", status: 503 }],
    ["unmodeled-error", { type: "error", status: 502, message: "Something went wrong." }],
  ])("is read to its end: %s", async (name, expected) => {
    expect(await streamed(name)).toMatchObject(expected);
  });

  test("that breaks off, or ends without a stop reason, has no finish event", async () => {
    expect(await streamed("cut-in-the-middle")).toBe("unfinished");
    expect(await streamed("without-end")).toBe("unfinished");
  });

  test("keeps a rejected usage for the log", async () => {
    const decoder = bedrockConverse.openDecoder(target, request);
    decodeInPieces(decoder, await fixture("absurd-usage.eventstream"), null);
    expect(decoder.rejected_usage).toMatchObject({ inputTokens: -3 });
    expect(decoder.usage).toBeNull();
  });

  const names = [...new Bun.Glob("*.eventstream").scanSync(FIXTURES)];
  for (const size of PIECE_SIZES) {
    test.each(names)(`gives the same events in pieces of ${size ?? "any size"}: %s`, async (name) => {
      const bytes = await fixture(name);
      const plain = decodeInPieces(bedrockConverse.openDecoder(target, request), bytes, null);
      expect(decodeInPieces(bedrockConverse.openDecoder(target, request), bytes, size)).toEqual(plain);
      expect(plain.length).toBeGreaterThan(0);
    });
  }
});

test("a whole turn that its vendor counts is an answer, without content in every way to write it", () => {
  for (const message of [{ role: "assistant" }, { content: null }, { content: [] }]) {
    const body = { output: { message }, stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 2 } };
    const { events } = bedrockConverse.decodeWhole(Buffer.from(JSON.stringify(body)), target, request);
    expect(outcomeOf(events)).toMatchObject({ blocks: [], reason: "stop", usage: usage(5, 2) });
  }
});

describe("a body that is no answer", () => {
  test.each([
    "",
    "null",
    "[]",
    "{}",
    "<html></html>",
    '{"output":{}}',
    '{"output":{"message":{"content":[{"text":"x"}]}}}',
  ])("is an error: %s", (body) => {
    const { events } = bedrockConverse.decodeWhole(Buffer.from(body), target, request);
    expect(events.at(-1)).toMatchObject(body.includes("x") ? { type: "finish" } : { type: "error", status: 502 });
  });

  test("is an error with the body's own message", () => {
    const { events } = bedrockConverse.decodeWhole(Buffer.from('{"message":"Not now."}'), target, request);
    expect(outcomeOf(events)).toMatchObject({ type: "error", status: 502, message: "Not now." });
  });
});

describe("an error answer", () => {
  test.each<[string, number, object]>([
    ["error-validation", 400, { status: 400, message: expect.stringContaining("max_tokens") }],
    ["error-throttled", 429, { status: 429 }],
    ["error-quota", 400, { status: 429 }],
    ["error-access", 403, { status: 403, message: expect.not.stringContaining("123456789012") }],
  ])("becomes a failure with its status, without the operator's account number: %s", async (name, status, expected) => {
    expect(bedrockConverse.readError(status, (await fixture(`${name}.json`)).toString())).toMatchObject(expected);
  });
});
