import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { IMAGE_BOUND_TOKENS, inputBound, REMOTE_MEDIA_BOUND_TOKENS } from "./input-bound.ts";

const bound = (messages: unknown, has_tools = false) => {
  const text = JSON.stringify({ messages });
  return { bound: inputBound(text, messages, has_tools), bytes: Buffer.byteLength(text) };
};
const message = (...content: unknown[]) => [{ role: "user", content }];
const payload = `data:image/png;base64,${"A".repeat(100_000)}`;

describe("the input's bound", () => {
  test("is the bytes of the body, not its characters", () => {
    expect(bound("é漢🌊")).toEqual({ bound: 24, bytes: 24 });
  });

  const images: readonly (readonly [string, unknown, number])[] = [
    ["chat completions", { type: "image_url", image_url: { url: payload } }, payload.length],
    ["responses", { type: "input_image", image_url: payload }, payload.length],
    ["messages", { type: "image", source: { type: "base64", data: "A".repeat(5000) } }, 5000],
    ["a URL", { type: "image_url", image_url: { url: "https://x.example/a.png" } }, 0],
    ["messages by URL", { type: "image", source: { type: "url", url: "https://x.example/a.png" } }, 0],
    ["a tool result", { type: "tool_result", content: [{ type: "image", source: { data: "A".repeat(5000) } }] }, 5000],
    [
      "a function's output",
      { type: "function_call_output", output: [{ type: "input_image", image_url: payload }] },
      payload.length,
    ],
  ];
  for (const [name, block, taken_off] of images) {
    test(`counts an image by a fixed bound in the shape of ${name}`, () => {
      const { bound: tokens, bytes } = bound(message(block));
      expect(tokens).toBe(bytes - taken_off + IMAGE_BOUND_TOKENS);
    });
  }

  test("counts the frames of a video as images", () => {
    const { bound: tokens, bytes } = bound(message({ type: "video", video: [payload, { url: payload }] }));
    expect(tokens).toBe(bytes - 2 * payload.length + 2 * IMAGE_BOUND_TOKENS);
  });

  test("counts audio and files by their bytes", () => {
    const sound = { type: "input_audio", input_audio: { data: "A".repeat(9000), format: "wav" } };
    const file = { type: "file", file: { file_data: "A".repeat(9000) } };
    const { bound: tokens, bytes } = bound(message(sound, file));
    expect(tokens).toBe(bytes);
  });

  test("counts media that the vendor fetches by a fixed bound", () => {
    const { bound: tokens, bytes } = bound(
      message(
        { type: "file", file: { file_id: "f" } },
        { type: "video_url", video_url: { url: "https://x.example/v" } },
      ),
    );
    expect(tokens).toBe(bytes + 2 * REMOTE_MEDIA_BOUND_TOKENS);
  });

  test("does not take text for an image", () => {
    const { bound: tokens, bytes } = bound(message({ type: "text", text: payload }));
    expect(tokens).toBe(bytes);
  });

  test("is larger with tools, which vendors describe in words of their own", () => {
    expect(bound([], true).bound).toBeGreaterThan(bound([], false).bound);
  });

  test("never throws and is never below the text, whatever the body", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const messages = [value, { role: "user", content: [{ type: "text", text }] }];
        expect(inputBound(JSON.stringify({ messages }), messages, false)).toBeGreaterThanOrEqual(
          Buffer.byteLength(text),
        );
      }),
    );
  });

  test("follows nesting only to a limit", () => {
    let value: unknown = [];
    for (let depth = 0; depth < 5000; depth++) value = [{ content: value }];
    expect(inputBound(JSON.stringify(value), value, false)).toBeGreaterThan(5000);
  });
});
