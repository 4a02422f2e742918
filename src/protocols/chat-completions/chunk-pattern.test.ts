import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ContentTape } from "../shared/content-tape.ts";
import { ChunkPattern } from "./chunk-pattern.ts";
import { ChatStream, type StreamOptions } from "./stream.ts";

const chunk = (delta: object, rest: object = {}) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 7, model: "up" },
  ...{ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], ...rest },
});
const frameOf = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const dataOf = (bytes: Uint8Array): unknown[] =>
  Buffer.from(bytes)
    .toString()
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.slice("data: ".length)));

/** A stream whose vendor has sent the role. */
function begun(options: StreamOptions): ChatStream {
  const stream = new ChatStream(options);
  stream.push(Buffer.from(frameOf(chunk({ role: "assistant" }))));
  return stream;
}

function learn(frame: string, text: string): ChunkPattern | null {
  const start = Buffer.from(frame).indexOf(text);
  const place = { start, end: start + Buffer.byteLength(text) };
  return ChunkPattern.learn(Buffer.from(frame), place, (bytes) =>
    Buffer.from(bytes.toString().replace('"up"', '"acme/m"')),
  );
}

describe("a stream whose chunks are alike", () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: "grapheme", maxLength: 6 }), fc.constantFrom('"', "\\", '","x":"')),
    {
      maxLength: 12,
    },
  );
  const keys = fc.constantFrom("content", "reasoning_content", "refusal");
  const cuts = fc.array(fc.nat(4000), { maxLength: 8 });

  test("is sent with each text in its place, and is measured, in pieces of any size", () => {
    fc.assert(
      fc.property(texts, fc.array(keys, { minLength: 1, maxLength: 2 }), fc.boolean(), cuts, (all, run, nulls, at) => {
        const chunks = all.map((text, index) =>
          chunk({ [run[Math.floor(index / 3) % run.length] as string]: text }, nulls ? { usage: null } : {}),
        );
        const bytes = Buffer.from(chunks.map(frameOf).join(""));
        const stream = begun({ model_id: "acme/m", issuer: "acme", choices: 1, shows_usage: false });
        const places = [0, ...at.map((one) => one % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const out = places.slice(1).map((end, index) => stream.push(bytes.subarray(places[index], end)));
        expect(dataOf(Buffer.concat(out))).toEqual(
          chunks.map(({ usage: _null, ...shown }: Record<string, unknown>) => ({ ...shown, model: "acme/m" })),
        );
        expect(stream.output_sample).toBe(all.join(""));
        expect(stream.output_bytes).toBe(Buffer.byteLength(all.join("")));
      }),
      { numRuns: 300 },
    );
  });

  test("is learnt anew where another part changes between chunks, and is sent unchanged", () => {
    const stream = begun({ model_id: "acme/m", issuer: "acme", choices: 1, shows_usage: true });
    const chunks = Array.from({ length: 20 }, (_, index) =>
      chunk({ content: `t${index}` }, { obfuscation: `o${index}` }),
    );
    const out = chunks.map((one) => stream.push(Buffer.from(frameOf(one))));
    expect(dataOf(Buffer.concat(out))).toEqual(chunks.map((one) => ({ ...one, model: "acme/m" })));
    expect(stream.output_sample).toBe(chunks.map((_, index) => `t${index}`).join(""));
  });
});

describe("a chunk's pattern", () => {
  const frame = frameOf(chunk({ content: "Hello" }));

  test("matches a chunk with another text", () => {
    const tape = new ContentTape();
    const shown = learn(frame, "Hello")?.take(Buffer.from(frame.replace("Hello", "Grüße 👋")), tape);
    expect(String(shown)).toBe(frame.replace("Hello", "Grüße 👋").replace('"up"', '"acme/m"'));
    expect(tape.text()).toBe("Grüße 👋");
  });

  const others: Readonly<Record<string, string>> = {
    "no text": frame.replace("Hello", ""),
    "a text that ends earlier, with another member after it": frame.replace("Hello", 'Hello","refusal":"no'),
    "an escape": frame.replace("Hello", "a\\nb"),
    "a line break": frame.replace("Hello", "a\nb"),
    "another id": frame.replace("chatcmpl-1", "chatcmpl-2"),
    "another end": frame.replace('finish_reason":null', 'finish_reason":"stop"'),
    "a missing end": frame.slice(0, -3),
    "a text of more than 1,024 characters": frame.replace("Hello", "a".repeat(1025)),
  };
  test.each(Object.entries(others))("does not match a chunk with %s", (_name, other) => {
    const tape = new ContentTape();
    expect(learn(frame, "Hello")?.take(Buffer.from(other), tape)).toBeNull();
    expect(tape.bytes).toBe(0);
  });
});
