import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { legalEvents } from "../../../proofs/support/legal-events.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { EventOrder } from "./event-order.ts";
import { foldEvents } from "./fold-events.ts";
import { AnswerFromTool, formatAsTool } from "./json-by-tool.ts";

const SCHEMA = { type: "object", properties: { n: { type: "integer" } } };
const FORMAT = { type: "json-schema", name: "count", description: "How many.", schema: SCHEMA } as const;
const REQUEST: GenerationRequest = {
  model: "m",
  stream: false,
  messages: [{ role: "user", content: [{ type: "text", text: "How many?" }] }],
  tools: [],
  format: FORMAT,
  extras: {},
};

describe("a format as a tool", () => {
  test("must be called where there are no other tools", () => {
    const { request, tool_name } = formatAsTool(REQUEST, FORMAT, true);
    expect(request.tools).toMatchObject([{ kind: "function", name: tool_name, parameters: SCHEMA }]);
    expect(request.tool_choice).toEqual({ mode: "named", name: tool_name });
    expect(request).not.toHaveProperty("format");
    expect(request.messages).toBe(REQUEST.messages);
  });

  test("is one of several tools of which one must be called, with a name that the client's tools do not have", () => {
    const tools = [{ kind: "function", name: "final_answer" } as const];
    const { request, tool_name } = formatAsTool({ ...REQUEST, tools }, FORMAT, true);
    expect(tool_name).toBe("final_answer_");
    expect(request.tools.length).toBe(2);
    expect(request.tool_choice).toEqual({ mode: "required" });
  });

  test("replaces tools that may not be called", () => {
    const tools = [{ kind: "function", name: "look" } as const];
    const { request } = formatAsTool({ ...REQUEST, tools, tool_choice: { mode: "none" } }, FORMAT, true);
    expect(request.tools.length).toBe(1);
    expect(request.tool_choice).toEqual({ mode: "named", name: "final_answer" });
  });

  test("is asked for in the prompt where the choice cannot be forced", () => {
    const { request } = formatAsTool(REQUEST, { type: "json-object" }, false);
    expect(request.tool_choice).toEqual({ mode: "auto" });
    expect(request.messages.at(-1)).toMatchObject({ role: "system" });
    expect(request.tools).toMatchObject([{ parameters: { type: "object" } }]);
  });
});

type Piece = readonly ["text" | "reasoning" | string, string];

/** Blocks of text, reasoning, or calls of the named tools. */
function answer(...pieces: readonly Piece[]): StreamEvent[] {
  const blocks = pieces.flatMap(([what, text], index): StreamEvent[] => [
    {
      type: "block-start",
      index,
      block:
        what === "text" || what === "reasoning"
          ? { kind: what }
          : { kind: "tool-call", id: `c${index}`, name: what, tool: "function" },
    },
    { type: "block-delta", index, text },
    { type: "block-end", index },
  ]);
  return [
    { type: "start", id: null, created: null, usage: null },
    ...blocks,
    { type: "finish", reason: "stop", stop_sequence: null, raw_reason: null, usage: null },
  ];
}

function pass(events: readonly StreamEvent[]): StreamEvent[] {
  const back = new AnswerFromTool("final_answer");
  const out: StreamEvent[] = [];
  for (const event of events) back.take(event, (emitted) => out.push(emitted));
  return out;
}

describe("the answer from a tool", () => {
  const cases: readonly (readonly [string, readonly Piece[], readonly Piece[]])[] = [
    ["is text", [["final_answer", '{"n":1}']], [["text", '{"n":1}']]],
    [
      "is not changed by text around it",
      [
        ["text", "Sure!"],
        ["final_answer", "{}"],
        ["text", "Done."],
      ],
      [["text", "{}"]],
    ],
    [
      "comes once",
      [
        ["final_answer", '{"n":1}'],
        ["final_answer", '{"n":2}'],
      ],
      [["text", '{"n":1}']],
    ],
    [
      "follows the reasoning",
      [
        ["reasoning", "Hm"],
        ["text", "So"],
        ["final_answer", "{}"],
      ],
      [
        ["reasoning", "Hm"],
        ["text", "{}"],
      ],
    ],
    [
      "may be plain text after all",
      [
        ["reasoning", "Hm"],
        ["text", "{}"],
      ],
      [
        ["reasoning", "Hm"],
        ["text", "{}"],
      ],
    ],
    [
      "may wait for other tools",
      [
        ["text", "First"],
        ["look", "{}"],
      ],
      [
        ["text", "First"],
        ["look", "{}"],
      ],
    ],
  ];
  for (const [name, vendor, client] of cases) {
    test(name, () => {
      const blocks = (events: readonly StreamEvent[]) =>
        foldEvents(events)?.blocks.map((block) => [block.kind === "tool-call" ? block.name : block.kind, block.text]);
      const out = pass(answer(...vendor));
      const order = new EventOrder();
      for (const event of out) order.take(event);
      expect(blocks(out)).toEqual(client.map((piece) => [...piece]));
    });
  }

  test("of a model that does not call the tool stays unchanged", () => {
    fc.assert(fc.property(legalEvents(), (events) => expect(foldEvents(pass(events))).toEqual(foldEvents(events))));
  });
});
