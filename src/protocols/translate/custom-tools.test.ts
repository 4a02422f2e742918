import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { someText } from "../../../proofs/support/legal-events.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { customToolNames, customToolsAsFunctions, FunctionCallsAsCustom, StringArgument } from "./custom-tools.ts";
import { EveryAnswer } from "./every-answer.ts";

const text = fc.array(someText, { maxLength: 6 }).map((parts) => parts.join(""));

/** A text in pieces of one size. */
function piecesOf(whole: string, size: number): string[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size));
}

function readIn(json: string, size: number): string {
  const argument = new StringArgument();
  return [...piecesOf(json, size).map((piece) => argument.push(piece)), argument.end()].join("");
}

/** What a client gets of a call whose arguments come in pieces. */
function shownOf(json: string, size: number): string[] {
  const shown: string[] = [];
  const { take } = new EveryAnswer([new FunctionCallsAsCustom(new Set(["patch"]))], (event) => {
    if (event.type === "block-delta") shown.push(event.text);
  });
  take({ type: "start", id: null, created: null, usage: null });
  take({ type: "block-start", index: 0, block: { kind: "tool-call", id: "c", name: "patch", tool: "function" } });
  for (const text of piecesOf(json, size)) take({ type: "block-delta", index: 0, text });
  take({ type: "block-end", index: 0 });
  return shown;
}

describe("the string argument of a function", () => {
  test("is read in pieces of any size, and no piece that a client gets ends in half a character", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), fc.boolean(), (input, size, ascii) => {
        const plain = JSON.stringify({ input });
        const escaped = plain.replace(
          /[\u0080-\uffff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
        const pieces = shownOf(ascii ? escaped : plain, size);
        expect(pieces.join("")).toBe(input);
        for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });

  const odd: readonly (readonly [string, string, string])[] = [
    ["with spaces around it", ' { "input" :\n "x" } ', "x"],
    ["behind another member", '{"note":"n","input":"x"}', "x"],
    ["with raw line ends", '{"input":"a\nb"}', "a\nb"],
    ["with escapes that JSON does not have", '{"input":"it\\\'s \\x"}', "it\\'s \\x"],
    ["that is cut off", '{"input":"half a se', "half a se"],
    ["that is cut off in an escape", '{"input":"half\\u00', "half\\u00"],
    ["that is no string", '{"input":{"a":1}}', '{"input":{"a":1}}'],
    ["that is no JSON", "plain words", "plain words"],
    ["that is missing", "", ""],
  ];
  for (const [name, json, input] of odd) {
    test(`${name} keeps its text`, () => {
      for (const size of [1, 3, 100]) expect(readIn(json, size)).toBe(input);
    });
  }
});

const REQUEST: GenerationRequest = {
  model: "m",
  stream: true,
  messages: [
    { role: "user", content: [{ type: "text", text: "Patch it." }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", id: "c1", name: "patch", arguments: 'say "hi"', kind: "custom" }],
    },
    { role: "tool", call_id: "c1", content: [{ type: "text", text: "done" }], is_error: false },
  ],
  tools: [
    {
      kind: "custom",
      name: "patch",
      description: "Edits.",
      format: { type: "grammar", syntax: "lark", definition: "start: X" },
    },
    { kind: "function", name: "look" },
  ],
  extras: {},
};

describe("custom tools", () => {
  test("become functions with one string argument, in the tools and in earlier calls", () => {
    const { tools, messages } = customToolsAsFunctions(REQUEST);
    expect(tools).toEqual([
      {
        kind: "function",
        name: "patch",
        description: "Edits.",
        parameters: {
          type: "object",
          properties: {
            input: {
              type: "string",
              description: "The tool's whole input, as plain text that this lark grammar accepts:\nstart: X",
            },
          },
          required: ["input"],
          additionalProperties: false,
        },
      },
      { kind: "function", name: "look" },
    ]);
    expect(messages[1]).toMatchObject({ content: [{ kind: "function", arguments: '{"input":"say \\"hi\\""}' }] });
    expect([...customToolNames(REQUEST)]).toEqual(["patch"]);
  });

  test("are custom calls again in the answer, with their input unescaped", () => {
    const back = new FunctionCallsAsCustom(new Set(["patch"]));
    const out: StreamEvent[] = [];
    const call = (index: number, name: string): StreamEvent[] => [
      { type: "block-start", index, block: { kind: "tool-call", id: `c${index}`, name, tool: "function" } },
      { type: "block-delta", index, text: '{"inp' },
      { type: "block-delta", index, text: 'ut":"a' },
      { type: "block-delta", index, text: '\\nb"}' },
      { type: "block-end", index },
    ];
    for (const event of [...call(0, "patch"), ...call(1, "look")]) back.take(event, (emitted) => out.push(emitted));
    expect(out).toEqual([
      { type: "block-start", index: 0, block: { kind: "tool-call", id: "c0", name: "patch", tool: "custom" } },
      { type: "block-delta", index: 0, text: "a" },
      { type: "block-delta", index: 0, text: "\nb" },
      { type: "block-end", index: 0 },
      ...call(1, "look"),
    ]);
  });
});
