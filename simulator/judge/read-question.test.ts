import { describe, expect, test } from "bun:test";
import { readChoices } from "./read-choices.ts";
import { judge } from "./read-question.ts";
import { optionLogits, statementLogit } from "./score.ts";

const STATE = "The customer wants a refund for the broken lamp.";
const OPTIONS = ["refund", "replacement", "praise"];
const LETTERS = ["A", "B", "C"];

function listed(write: (label: string, option: string) => string, labels: readonly string[] = LETTERS): string {
  return OPTIONS.map((option, index) => write(labels[index] ?? "", option)).join("\n");
}

describe("a question with options is understood", () => {
  test.each([
    ["headings", `State:\n${STATE}\n\nQuestion: What is wanted?\n\n${listed((a, b) => `${a}: ${b}`)}\n\nAnswer:`],
    ["tags", `<state>${STATE}</state>\n<question>What?</question>\n${listed((a, b) => `${a}) ${b}`)}`],
    ["paragraphs", `${STATE}\n\nWhat is wanted?\n${listed((a, b) => `(${a}) ${b}`)}\nReply with a letter.`],
    [
      "a fence",
      `BEGIN MATERIAL 1f\n${STATE}\nEND MATERIAL 1f\n\nQuestion:\nWhat?\n\n${listed((a, b) => `${a}. "${b}"`)}`,
    ],
    ["markdown", `## Input\n${STATE}\n\n## Task\nWhat?\n\n${listed((a, b) => `- **${a}**: ${b}`)}`],
  ])("with %s", (_name, text) => {
    expect(judge(text, "", null)).toEqual({ labels: LETTERS, logits: optionLogits(STATE, OPTIONS) });
  });

  test("where the state stands in an earlier message", () => {
    const text = `What is wanted?\n${listed((a, b) => `${a}: ${b}`, ["0", "1", "2"])}`;
    expect(judge(text, STATE, null)).toEqual({ labels: ["0", "1", "2"], logits: optionLogits(STATE, OPTIONS) });
  });

  test("where the state has options and questions of its own", () => {
    const state = `${STATE}\nQuestion: which?\nA: this\nB: that`;
    const text = `BEGIN MATERIAL 1f\n${state}\nEND MATERIAL 1f\nQuestion:\nWhat?\n${listed((a, b) => `${a}: ${b}`)}`;
    expect(judge(text, "", null)?.logits).toEqual(optionLogits(state, OPTIONS));
  });

  test("with labels beyond the letters, and descriptions that run over lines", () => {
    const labels = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"];
    const text = `${STATE}\n\nWhich?\n${labels.map((label, index) => `${label}: option ${index}\n    of many`).join("\n")}`;
    expect(judge(text, "", null)?.labels).toEqual(labels);
  });
});

describe("a yes/no question is understood", () => {
  const statement = "The customer is not happy";
  const logit = statementLogit(STATE, statement);

  test.each([
    [
      "named in a sentence",
      `State: ${STATE}\nStatement: ${statement}.\nIs this true? Answer Yes or No.`,
      ["Yes", "No"],
    ],
    [
      "the other way round",
      `State: ${STATE}\nStatement: ${statement}.\nIs this true? Answer No or Yes.`,
      ["No", "Yes"],
    ],
    ["as labels", `<state>${STATE}</state><question>${statement}</question>\nNo: "no"\nYes: "yes"`, ["No", "Yes"]],
    ["behind letters", `<state>${STATE}</state><question>${statement}</question>\nA: "yes"\nB: "no"`, ["A", "B"]],
  ])("%s", (_name, text, labels) => {
    const yes_first = labels[0] === "Yes" || labels[0] === "A";
    const logits = yes_first ? [logit / 2, -logit / 2] : [-logit / 2, logit / 2];
    expect(judge(text, "", null)).toEqual({ labels: [...labels], logits });
  });
});

test("a message that asks nothing has no question", () => {
  expect(judge("Good morning, vendor.", "", null)).toBeNull();
});

test.each([
  ["vLLM's structured outputs", { structured_outputs: { choice: ["A", "B"] } }],
  ["vLLM's former field", { guided_choice: ["A", "B"] }],
  ["llama.cpp's grammar", { grammar: 'root ::= "A" | "B"' }],
  ["a grammar with more rules", { grammar: 'root ::= ("A" | "B")\nspace ::= " "' }],
  ["SGLang's regex", { regex: "(A|B)" }],
])("choices are read from %s", (_name, body) => {
  expect(readChoices(body)).toEqual(["A", "B"]);
});
