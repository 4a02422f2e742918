import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { collectInput } from "./collect-text.ts";

const MOST = 256 * 1024;

function collected(body: Record<string, unknown>) {
  return collectInput(body, MOST);
}

const image = (url: string, more = {}) => ({ type: "image_url", image_url: { url, ...more } });
const PAYLOAD = "QUJD".repeat(2000);
const DATA_URL = `data:image/png;base64,${PAYLOAD}`;

test("collects what a model would read: texts and names at any depth", () => {
  const { sample } = collected({
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    tools: [{ name: "look_up" }],
  });
  for (const word of ["Hello", "look_up", "user"]) expect(sample).toContain(word);
});

test("leaves out the payloads of images, files and sound", () => {
  const { sample } = collected({
    messages: [
      { content: [image(DATA_URL), { type: "input_audio", input_audio: { data: PAYLOAD, format: "wav" } }] },
      { content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PAYLOAD } }] },
      { content: [{ type: "file", file: { file_data: `data:application/pdf;base64,${PAYLOAD}` } }, "kept"] },
    ],
  });
  expect(sample).not.toContain("QUJD");
  expect(sample).toContain("kept");
});

describe("text that only looks like a payload, or stands where one could, is text", () => {
  const WORDS = "data:image/png;base64, and then a long story about it";
  test.each([
    ["a prompt that begins like a data URL", { messages: [{ role: "user", content: WORDS }] }, WORDS],
    ["a prompt that is one", { messages: [{ role: "user", content: DATA_URL }] }, PAYLOAD],
    ["a text in a payload's place", { source: { media_type: "image/png", data: WORDS } }, WORDS],
    ["an argument of a tool", { input: { data: PAYLOAD } }, PAYLOAD],
    ["a long text without spaces", { a: "你好".repeat(5000) }, "你好".repeat(5000)],
  ])("%s", (_name, body, text) => {
    expect(collected(body).sample).toContain(text);
  });
});

test.each([
  ["an image", { messages: [{ content: [image(DATA_URL)] }] }, 258],
  ["an image elsewhere", { messages: [{ content: [image("https://example.com/a.png")] }] }, 258],
  ["an image in low detail", { messages: [{ content: [image(DATA_URL, { detail: "low" })] }] }, 85],
  ["one of responses in low detail", { input: [{ type: "input_image", image_url: DATA_URL, detail: "low" }] }, 85],
  ["two files", { input: [{ type: "input_file" }, { type: "file" }] }, 516],
  ["a document", { messages: [{ content: [{ type: "document", source: { type: "base64" } }] }] }, 258],
  ["a document of text", { messages: [{ content: [{ type: "document", source: { type: "text" } }] }] }, 0],
  ["sound", { messages: [{ content: [{ type: "input_audio", input_audio: { data: "A".repeat(64_000) } }] }] }, 10],
  ["what the vendor stores", { input: "go on", previous_response_id: "resp_1" }, 1024],
  ["nothing of the kind", { input: "go on", previous_response_id: null }, 0],
])("counts %s by the lowest published figure", (_name, body, tokens) => {
  expect(collected(body).media_tokens).toBe(tokens);
});

test("no depth of nesting overflows the stack", () => {
  let nested: unknown = "the innermost";
  for (let depth = 0; depth < 1_000_000; depth += 1) nested = depth % 2 === 0 ? [nested] : { a: nested };
  const { characters } = collected({ messages: nested });
  expect(characters).toBe("messages\n".length + 500_000 * "a\n".length + "the innermost\n".length);
});

test("keeps a bounded sample of any body, and counts all of its characters", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: CODE_POINT }), fc.jsonValue()), fc.nat(200), (body, most) => {
      const all = collectInput(body, Number.POSITIVE_INFINITY);
      const some = collectInput(body, most);
      expect(some.sample.length).toBeLessThanOrEqual(most);
      expect(all.sample.length).toBeLessThanOrEqual(all.characters);
      expect(some.characters).toBe(all.characters);
    }),
  );
});
