import { describe, expect, test } from "bun:test";
import type { DecisionRequest, Question } from "../../core/answer/decision.ts";
import { IMAGE_TOKENS, imageTokens } from "../request/decision-input.ts";
import { billedTexts } from "./billed-texts.ts";

const base = { name: "a name", instructions: "What?" };

const questions: readonly Question[] = [
  { ...base, type: "predicate", when_true: "yes means", when_false: null },
  {
    ...base,
    type: "choice",
    options: [
      { value: "a value", description: "an option" },
      { value: true, description: null },
    ],
  },
  {
    ...base,
    type: "score",
    levels: [
      { label: "a label", description: "a level" },
      { label: null, description: null },
    ],
  },
];

const request: DecisionRequest = {
  model: "m",
  input: [[{ type: "text", text: "one" }], [{ type: "json", text: '{"two":2}' }, image("auto"), image("low"), image()]],
  questions,
  safety_identifier: "someone",
};

function image(detail?: string) {
  return { type: "image", url: "data:image/png;base64,AA==", ...(detail !== undefined && { detail }) } as const;
}

describe("the billed input of a decision (docs/api.md 8)", () => {
  test("counts the input once, all instructions and all descriptions, but no name, value or label", () => {
    expect(billedTexts(request).map(({ text, times }) => text.repeat(times))).toEqual([
      ...["one", '{"two":2}'],
      ...["What?", "yes means"],
      ...["What?", "an option"],
      ...["What?", "a level"],
    ]);
  });

  test("counts a fixed number of tokens for each image", () => {
    expect(imageTokens(request)).toBe(2 * IMAGE_TOKENS.other + IMAGE_TOKENS.low);
  });
});
