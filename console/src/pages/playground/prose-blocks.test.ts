import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Block, proseBlocks, proseSpans } from "./prose-blocks.ts";

test("paragraphs, headings, lists and code are distinguished", () => {
  const text = "# Title\nFirst\nline\n\n- one\n- two\n1. three\n```ts\nconst a = 1;\n\nb();\n```\nend";
  expect(proseBlocks(text)).toEqual([
    { kind: "heading", text: "Title" },
    { kind: "paragraph", text: "First\nline" },
    { kind: "list", ordered: false, items: ["one", "two", "three"] },
    { kind: "code", language: "ts", code: "const a = 1;\n\nb();" },
    { kind: "paragraph", text: "end" },
  ]);
});

test("an open fence contains all text that has arrived so far", () => {
  expect(proseBlocks("```\nhalf")).toEqual([{ kind: "code", language: "", code: "half" }]);
});

test("asterisks of multiplications are not emphasis", () => {
  expect(proseSpans("2 * 3 * 4 and `a*b*c` and **so**, *yes*")).toEqual([
    { kind: "text", text: "2 * 3 * 4 and " },
    { kind: "code", text: "a*b*c" },
    { kind: "text", text: " and " },
    { kind: "bold", text: "so" },
    { kind: "text", text: ", " },
    { kind: "italic", text: "yes" },
  ]);
});

test("no letter or digit of any text is lost", () => {
  const wordsOf = (block: Block) =>
    block.kind === "code" ? block.language + block.code : block.kind === "list" ? block.items.join("") : block.text;
  const word = /[^\s`*#+\-.)\d]/g;
  const pieces = fc.array(fc.constantFrom("a", "b", " ", "\n", "\n\n", "```", "- ", "# ", "**", "*", "`"));
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("");
      const seen = proseBlocks(text).map(wordsOf).join("");
      const spans = proseSpans(text).map(({ text: own }) => own);
      expect(spans.join("").match(word)).toEqual(text.match(word));
      expect(seen.match(word)?.length ?? 0).toBeGreaterThanOrEqual(
        (text.replace(/```[^\n]*/g, "").match(word) ?? []).length,
      );
    }),
  );
});
