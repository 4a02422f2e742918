import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { jsonByWords, WithoutFence } from "./json-by-words.ts";

/** The text of an answer behind the pass, cut into pieces of this size. */
function through(text: string, size: number): string {
  const pass = new WithoutFence();
  let out = "";
  const emit = (event: StreamEvent) => {
    if (event.type === "block-delta") out += event.text;
  };
  pass.take({ type: "block-start", index: 0, block: { kind: "text" } }, emit);
  for (let at = 0; at < text.length; at += size)
    pass.take({ type: "block-delta", index: 0, text: text.slice(at, at + size) }, emit);
  pass.take({ type: "block-end", index: 0 }, emit);
  return out;
}

describe("JSON without a schema", () => {
  test("is asked for behind the instructions that come first", () => {
    const system = { role: "system", authority: "system", content: [{ type: "text", text: "Be brief." }] } as const;
    const request = generation({ format: { type: "json-object" }, messages: [system, user("a"), system] });
    const { messages, format } = jsonByWords(request);
    expect(format).toBeUndefined();
    expect(messages.map(({ role }) => role)).toEqual(["system", "system", "user", "system"]);
    expect(JSON.stringify(messages[1])).toContain("one JSON object");
  });

  test.each([
    ['{"a":1}', '{"a":1}'],
    ['```json\n{"a":"```"}\n```', '{"a":"```"}'],
    ['\n```\n{"a": 1 }\n``` \n', '{"a": 1 }'],
    ["``", "``"],
    ["```no fence, as no line ends here", "```no fence, as no line ends here"],
    ["Here: ```json\n{}\n```", "Here: ```json\n{}\n```"],
    [" ", " "],
  ])("%j is shown as %j, in pieces of any size", (text, expected) => {
    for (const size of [1, 2, 3, 7, 100]) expect(through(text, size)).toBe(expected);
  });
});
