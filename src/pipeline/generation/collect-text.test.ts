import { expect, test } from "bun:test";
import { collectText } from "./collect-text.ts";

test("collects what a model would read: texts and names at any depth", () => {
  const body = {
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    tools: [{ name: "look_up" }],
  };
  const text = collectText(JSON.stringify(body));
  for (const word of ["Hello", "look_up", "user"]) expect(text).toContain(word);
});

test("leaves out payloads in data URLs and in base64 members", () => {
  const payload = "QUJD".repeat(2000);
  const text = collectText(
    JSON.stringify({ a: `data:image/png;base64,${payload}`, source: { data: payload }, c: "kept" }),
  );
  expect(text).not.toContain("QUJD");
  expect(text).toContain("kept");
});

test("treats a long text without spaces as text", () => {
  const chinese = "你好".repeat(5000);
  expect(collectText(JSON.stringify({ a: chinese }))).toContain(chinese);
});
