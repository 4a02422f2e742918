import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../proofs/support/code-point.ts";
import { perform, textBlock } from "./answer.ts";
import type { Ask } from "./ask.ts";
import { long } from "./contents/index.ts";
import { tools } from "./contents/tools.ts";
import { parseModelName } from "./model-name.ts";
import { type Performance, slices, words } from "./performance.ts";
import { sealOf } from "./seal.ts";
import { countTokens } from "./tokens.ts";

function ask(changes: Partial<Ask> = {}): Ask {
  return {
    serial: "test",
    model: parseModelName("echo"),
    stream: false,
    include_usage: true,
    prompt: ["Hello"],
    last_user_text: "Hello",
    images: [],
    tools: [],
    tool_choice: "auto",
    parallel_tool_calls: null,
    tool_results: [],
    output_cap: null,
    stop: [],
    format: { type: "text" },
    reasoning: { wanted: true, effort: null, encrypted: false },
    choices: 1,
    body: {},
    ...changes,
  };
}

function textOf({ blocks }: Performance): string {
  return blocks.flatMap((block) => block.pieces).join("");
}

const TEXT = fc.string({ unit: "grapheme", minLength: 1 });

describe("a performance", () => {
  test("has the whole text in pieces that add up, and counts it", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const performance = perform(ask(), { blocks: [textBlock(text)] });
        expect(textOf(performance)).toBe(text);
        expect(performance.usage.output).toBe(countTokens(text));
        expect(performance.finish).toBe("stop");
      }),
    );
  });

  test("has exactly as many tokens as the cap where the text is longer, and never a broken character", () => {
    fc.assert(
      fc.property(TEXT, fc.integer({ min: 1, max: 20 }), (text, output_cap) => {
        const performance = perform(ask({ output_cap }), { blocks: [textBlock(text)] });
        const cut = countTokens(text) > output_cap;
        expect(performance.usage.output).toBe(cut ? output_cap : countTokens(text));
        expect(performance.finish).toBe(cut ? "length" : "stop");
        expect(text).toStartWith(textOf(performance));
        expect(textOf(performance).isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });

  test("counts reasoning against the cap first, and seals the reasoning that is left", () => {
    const reasoning = {
      pieces: words("a long thought about it"),
      seal: sealOf("a long thought about it"),
      redacted: false,
    };
    const performance = perform(ask({ output_cap: 2 }), { reasoning, blocks: [textBlock("answer")] });
    expect(performance).toMatchObject({ finish: "length", blocks: [], usage: { output: 2, reasoning: 2 } });
    expect(performance.reasoning).toMatchObject({ seal: sealOf("a long t") });
  });

  test("does not make a tool call that the cap cannot hold", () => {
    const call = { type: "tool_call", name: "weather", pieces: ['{"city":"x"}'], custom: false } as const;
    expect(perform(ask({ output_cap: 5 }), { blocks: [call] })).toMatchObject({ finish: "tool_calls", blocks: [call] });
    expect(perform(ask({ output_cap: 4 }), { blocks: [call] })).toMatchObject({ finish: "length", blocks: [] });
  });

  test("ends before the first stop sequence, and reports it", () => {
    const stopped = perform(ask({ stop: ["three", "two"] }), { blocks: [textBlock("one two three")] });
    expect(stopped).toMatchObject({ finish: "stop_sequence", stop_sequence: "two" });
    expect(textOf(stopped)).toBe("one ");
    expect(perform(ask({ stop: ["four"] }), { blocks: [textBlock("one")] }).stop_sequence).toBeNull();
  });

  test("counts the input by its bytes, and each image by a fixed count", () => {
    const image = { media_type: "image/png", bytes: 5, url: null };
    const { usage } = perform(ask({ prompt: ["ab", "cdé"], images: [image, image] }), { blocks: [] });
    expect(usage.input).toBe(2 + 2 * 64);
    expect(perform(ask({ prompt: [] }), { blocks: [] }).usage.input).toBe(1);
  });
});

describe("long", () => {
  test.each([
    ["long", 64, 64, "length"],
    ["long@tokens=64", null, 64, "stop"],
    ["long@tokens=64", 10, 10, "length"],
    ["long@tokens=64", 64, 64, "stop"],
    ["long@tokens=3&piece=8", null, 3, "stop"],
    ["long@tokens=1000&piece=64", null, 1000, "stop"],
    ["long", null, 4096, "length"],
  ] as const)("%s with cap %p says %d tokens and ends with %s", (name, output_cap, tokens, finish) => {
    const performance = long(ask({ model: parseModelName(name), output_cap }));
    expect(performance).toMatchObject({ finish, usage: { output: tokens } });
    expect(Buffer.byteLength(textOf(performance))).toBe(tokens * 4);
    expect(textOf(performance)).toStartWith("Simulated an".slice(0, tokens * 4));
  });

  test("has a piece for each token, as many as the name asks for", () => {
    const pieces = (name: string) => long(ask({ model: parseModelName(name) })).blocks[0]?.pieces.length;
    expect(pieces("long@tokens=64")).toBe(64);
    expect(pieces("long@tokens=64&piece=16")).toBe(4);
  });
});

test("pieces add up to their text", () => {
  fc.assert(
    fc.property(fc.string({ unit: CODE_POINT }), fc.integer({ min: 1, max: 9 }), (text, length) => {
      expect(words(text).join("")).toBe(text);
      expect(slices(text, length).join("")).toBe(text);
    }),
  );
});

describe("tools", () => {
  const tool_results = (text: string) => [{ call_id: "call_1", text }];
  const declared = [{ name: "step", schema: { type: "object" }, description: "", custom: false }];

  test.each([
    ["tools", [], "tool_calls"],
    ["tools", tool_results("any"), "stop"],
    ["tools@again=1", tool_results("any"), "tool_calls"],
    ["tools@until=done", [], "tool_calls"],
    ["tools@until=done", tool_results("step 1"), "tool_calls"],
    ["tools@until=done", tool_results("step 2, done"), "stop"],
  ] as const)("%s ends its turn as told by its name, after the results %j", (name, results, finish) => {
    const turn = ask({ model: parseModelName(name), tools: declared, tool_results: results });
    expect(tools(turn).finish).toBe(finish);
  });
});
