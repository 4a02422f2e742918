import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { ChatStreamDecoder, decodeResponse } from "./codec.ts";

type Fields = Readonly<Record<string, unknown>>;

const frames = (deltas: readonly Fields[], finish_reason = "stop", more: Fields = {}) =>
  [...deltas.map((delta) => ({ delta, finish_reason: null })), { delta: {}, finish_reason, ...more }]
    .map((choice) => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`)
    .join("");

function decode(text: string, size: number | null = null, stop?: readonly string[]): StreamEvent[] {
  return decodeInPieces(new ChatStreamDecoder(generation({ ...(stop && { stop }) })), Buffer.from(text), size);
}

const call = (index: number | undefined, more: Fields) => ({
  tool_calls: [{ ...(index !== undefined && { index }), ...more }],
});
const begin = (index: number | undefined, id: string, text = "") =>
  call(index, { id, type: "function", function: { name: `f_${id}`, arguments: text } });
const more = (index: number, text: string) => call(index, { function: { arguments: text } });

/** Blocks as kind, or id for a call, and text. */
function blocks(events: readonly StreamEvent[]): unknown {
  const outcome = outcomeOf(events);
  if (typeof outcome === "string" || "status" in outcome) return outcome;
  return outcome.blocks.map((block) => [block.kind === "tool-call" ? block.id : block.kind, block.text]);
}

describe("tool calls in a chat stream", () => {
  test("that are written side by side become consecutive blocks", () => {
    const piece = fc.record({ at: fc.nat(2), text: fc.constantFrom("a", "b", " ") });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const texts = ["", "", ""];
        const deltas = pieces.map(({ at, text }) => {
          texts[at] += text;
          return more(at, text);
        });
        const open = [begin(0, "a", '{"x":"'), begin(1, "b", '{"x":"'), begin(2, "c", '{"x":"')];
        const close = [more(1, '"}'), more(0, '"}'), more(2, '"}')];
        const said = decode(frames([...open, ...deltas, ...close], "tool_calls"));
        expect(blocks(said)).toEqual(["a", "b", "c"].map((id, at) => [id, `{"x":"${texts[at]}"}`]));
      }),
    );
  });

  test("stream on while other calls wait, and the next call streams when one is whole", () => {
    const decoder = new ChatStreamDecoder(generation());
    const push = (delta: Fields) => decoder.push(Buffer.from(`${frames([delta]).split("\n\n")[0]}\n\n`));
    push(begin(0, "a", '{"x":'));
    expect(push(begin(1, "b", "{"))).toEqual([]);
    expect(push(more(0, "1"))).toMatchObject([{ type: "block-delta", index: 0, text: "1" }]);
    expect(push(more(0, "}"))).toMatchObject([
      { type: "block-delta", index: 0, text: "}" },
      { type: "block-end", index: 0 },
      { type: "block-start", index: 1, block: { id: "b" } },
      { type: "block-delta", index: 1, text: "{" },
    ]);
    expect(push(more(1, "}"))).toMatchObject([{ type: "block-delta", index: 1, text: "}" }]);
  });

  const cases: readonly (readonly [string, readonly Fields[], unknown])[] = [
    [
      "are distinguished by id where all have the index 0",
      [begin(0, "a", "{}"), begin(0, "b", '{"y":2}')],
      [
        ["a", "{}"],
        ["b", '{"y":2}'],
      ],
    ],
    [
      "are distinguished by place where they have no index",
      [
        {
          tool_calls: [
            { id: "a", function: { name: "f", arguments: "{}" } },
            { id: "b", function: { name: "f", arguments: "{}" } },
          ],
        },
      ],
      [
        ["a", "{}"],
        ["b", "{}"],
      ],
    ],
    ["may repeat their id", [begin(0, "a", "{"), call(0, { id: "a", function: { arguments: "}" } })], [["a", "{}"]]],
    [
      "may have arguments that are an object",
      [call(0, { id: "a", function: { name: "f", arguments: { x: 1 } } })],
      [["a", '{"x":1}']],
    ],
    [
      "may come without arguments",
      [begin(0, "a"), begin(1, "b", "{}")],
      [
        ["a", ""],
        ["b", "{}"],
      ],
    ],
    [
      "may be followed by text",
      [begin(0, "a", "{}"), { content: "Done." }],
      [
        ["a", "{}"],
        ["text", "Done."],
      ],
    ],
    [
      "delay text that is written between them",
      [begin(0, "a", "{"), { content: "Hm" }, more(0, "}"), { content: "." }],
      [
        ["a", "{}"],
        ["text", "Hm"],
        ["text", "."],
      ],
    ],
  ];
  for (const [name, deltas, expected] of cases) {
    test(name, () => expect(blocks(decode(frames(deltas, "tool_calls")))).toEqual(expected));
  }

  test("without an id get one", () => {
    const [first] = decode(frames([call(0, { function: { name: "f", arguments: "{}" } })])).filter(
      (event) => event.type === "block-start",
    );
    expect(first?.block).toMatchObject({ kind: "tool-call", id: expect.stringMatching(/^call_\w{22}$/) });
  });

  test("in the form before tool_calls are read as calls too", () => {
    const said = decode(
      frames(
        [{ function_call: { name: "f", arguments: "{" } }, { function_call: { arguments: "}" } }],
        "function_call",
      ),
    );
    expect(outcomeOf(said)).toMatchObject({
      reason: "tool-calls",
      blocks: [{ kind: "tool-call", name: "f", text: "{}" }],
    });
  });
});

describe("reasoning in a chat stream", () => {
  const detail = (more_of: Fields) => ({
    reasoning_details: [{ format: "anthropic-claude-v1", index: 0, ...more_of }],
  });

  test("is read once where it is sent as text and as details", () => {
    const both = (text: string) => ({ reasoning: text, ...detail({ type: "reasoning.text", text }) });
    const said = decode(
      frames([both("Let me"), both(" see"), detail({ type: "reasoning.text", signature: "sig" }), { content: "Yes" }]),
    );
    expect(outcomeOf(said)).toMatchObject({
      blocks: [
        { kind: "reasoning", text: "Let me see", opaque: { family: "anthropic", form: "signature", data: "sig" } },
        { kind: "text", text: "Yes" },
      ],
    });
  });

  test("is read from details alone", () => {
    const openai = { format: "openai-responses-v1", id: "rs_1" };
    const said = decode(
      frames([
        detail({ type: "reasoning.summary", summary: "Sum" }),
        detail({ ...openai, type: "reasoning.encrypted", data: "enc" }),
      ]),
    );
    expect(outcomeOf(said)).toMatchObject({
      blocks: [
        { kind: "reasoning", text: "Sum", opaque: { family: "openai", form: "encrypted", data: "enc", id: "rs_1" } },
      ],
    });
  });

  test("that is hidden is a block without text", () => {
    const said = decode(frames([detail({ type: "reasoning.encrypted", data: "red" }), { content: "Yes" }]));
    expect(outcomeOf(said)).toMatchObject({
      blocks: [{ kind: "reasoning", text: "", opaque: { form: "redacted", data: "red" } }, {}],
    });
  });

  test("of an unknown maker keeps its text and loses its seal", () => {
    const said = decode(frames([detail({ type: "reasoning.text", text: "T", signature: "s", format: "acme-v1" })]));
    expect(outcomeOf(said)).toMatchObject({ blocks: [{ kind: "reasoning", text: "T" }] });
    expect(JSON.stringify(said)).not.toContain("opaque");
  });

  test("that signs calls puts its seals on them, before or after they arrive", () => {
    const seal = detail({ type: "reasoning.encrypted", format: "google-gemini-v1", id: "a", data: "g" });
    for (const deltas of [
      [seal, begin(0, "a", "{}")],
      [begin(0, "a", "{}"), seal],
      [{ ...begin(0, "a", "{}"), ...seal }],
    ]) {
      expect(outcomeOf(decode(frames(deltas, "tool_calls")))).toMatchObject({
        blocks: [
          { kind: "tool-call", id: "a", text: "{}", opaque: { family: "google", form: "signature", data: "g" } },
        ],
      });
    }
  });
});

describe("the end of a chat stream", () => {
  const done = "data: [DONE]\n\n";

  test("comes with [DONE], so that the last usage counts", () => {
    const decoder = new ChatStreamDecoder(generation());
    const before = decoder.push(Buffer.from(frames([{ content: "x" }])));
    expect(before.at(-1)).toEqual({ type: "block-end", index: 0 });
    const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } };
    const after = decoder.push(Buffer.from(`data: ${JSON.stringify(usage)}\n\n${done}`));
    expect(after).toMatchObject([{ type: "finish", reason: "stop", usage: { input_tokens: 3, output_tokens: 1 } }]);
    expect([decoder.push(Buffer.from(done)), decoder.end()]).toEqual([[], []]);
  });

  test("is missing without a finish_reason and without [DONE]", () => {
    const cut = frames([{ content: "x" }])
      .split("\n\n")
      .slice(0, 1)
      .join("\n\n");
    expect(outcomeOf(decode(`${cut}\n\n`))).toBe("unfinished");
    expect(outcomeOf(decode(`${cut}\n\n${done}`))).toMatchObject({ reason: "stop" });
  });

  test("has the stop sequence where the vendor names it", () => {
    const said = (stop_reason: unknown) =>
      outcomeOf(decode(frames([{ content: "x" }], "stop", { stop_reason }), null, ["END"]));
    expect(said("END")).toMatchObject({ reason: "stop", stop_sequence: "END" });
    for (const other of [null, 128009, "elsewhere"]) expect(said(other)).toMatchObject({ stop_sequence: null });
  });

  const reasons: readonly (readonly [string, string])[] = [
    ["stop", "stop"],
    ["length", "length"],
    ["model_length", "length"],
    ["content_filter", "content-filter"],
    ["eos", "stop"],
  ];
  for (const [raw, reason] of reasons)
    test(`for ${raw}`, () =>
      expect(outcomeOf(decode(frames([{ content: "x" }], raw)))).toMatchObject({ reason, raw_reason: raw }));

  test("with a refusal has the reason refusal", () => {
    expect(outcomeOf(decode(frames([{ refusal: "I can" }, { refusal: "'t." }])))).toMatchObject({
      reason: "refusal",
      blocks: [{ kind: "refusal", text: "I can't." }],
    });
  });

  test("by an error has the error, wherever the vendor puts it", () => {
    const errors = [
      '{"error":{"message":"Busy","code":503}}',
      '[{"error":{"message":"Busy","code":503}}]',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"message":"Busy","code":503}}]}',
    ];
    for (const error of errors) {
      expect(outcomeOf(decode(`data: ${error}\n\n${done}`))).toEqual({
        type: "error",
        status: 503,
        message: "Busy",
        retry_after_ms: null,
      });
    }
  });
});

test("a whole message is read like a stream that has it all at once", () => {
  const message = {
    role: "assistant",
    content: "Look",
    refusal: null,
    reasoning_content: "Hm",
    tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    reasoning_details: [
      { type: "reasoning.text", text: "Hm", signature: "s", format: "anthropic-claude-v1", index: 0 },
      { type: "reasoning.encrypted", data: "g", id: "a", format: "google-gemini-v1", index: 1 },
    ],
  };
  const body = {
    id: "c",
    created: 7,
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };
  const { events, rejected_usage } = decodeResponse(Buffer.from(JSON.stringify(body)), generation());
  expect(rejected_usage).toBeNull();
  expect(outcomeOf(events)).toMatchObject({
    id: "c",
    created: 7,
    reason: "tool-calls",
    usage: { input_tokens: 1, output_tokens: 2 },
    blocks: [
      { kind: "reasoning", text: "Hm", opaque: { family: "anthropic", data: "s" } },
      { kind: "text", text: "Look" },
      { kind: "tool-call", id: "a", text: "{}", opaque: { family: "google", data: "g" } },
    ],
  });
});
