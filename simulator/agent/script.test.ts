import { describe, expect, test } from "bun:test";
import type { AskedTurn } from "../ask.ts";
import { progressIn, type Step, scriptText } from "./script.ts";

const STEPS: readonly Step[] = [
  ["read", "/a"],
  [
    "together",
    [
      ["run", "x"],
      ["run", "y"],
    ],
  ],
  ["say", "bye"],
];
const asked: AskedTurn = { role: "user", text: `Please: ${scriptText(STEPS)}`, calls: 0 };
const called = (calls: number): AskedTurn => ({ role: "assistant", text: "", calls });
const told = (text: string): AskedTurn => ({ role: "user", text, calls: 0 });

test.each([
  ["begins with the first step", [asked], 3],
  ["has done what was called for since", [asked, called(1)], 2],
  ["counts each of several calls at once", [asked, called(1), called(2)], 1],
  ["counts no calls before the script", [told("hello"), called(5), asked, called(1)], 2],
  ["goes by the last script", [asked, called(3), asked], 3],
  ["ends after the last step", [told(scriptText([["read", "/a"]])), called(1)], 0],
])("a script %s", (_what, turns, left) => {
  expect(progressIn(turns)).toEqual({ left: STEPS.slice(STEPS.length - left), must_summarize: false });
});

test("a call in one turn with a summary was made after the summary", () => {
  const summary: AskedTurn = { role: "assistant", text: scriptText(STEPS), calls: 1 };
  expect(progressIn([told("What did we do so far?"), summary, told("")])?.left).toEqual(STEPS.slice(1));
});

test("the last of several scripts in one text counts", () => {
  const both = `${scriptText(STEPS)}\n${scriptText(STEPS.slice(1))}`;
  expect(progressIn([told(both)])).toEqual({ left: STEPS.slice(1), must_summarize: false });
});

test("a conversation without a script has no progress", () => {
  expect(progressIn([told("hello")])).toBeNull();
  expect(progressIn([told("<play>not JSON</play>")])).toBeNull();
});

test("a request for a summary gets the steps that are left, and the conversation continues from the summary", () => {
  const turns = [asked, called(1), told("Write a detailed summary of the conversation so far.")];
  const progress = progressIn(turns);
  expect(progress).toEqual({ left: STEPS.slice(1), must_summarize: true });
  const after = [told(`This session is continued. ${scriptText(progress?.left ?? [])}`), called(2)];
  expect(progressIn(after)).toEqual({ left: STEPS.slice(2), must_summarize: false });
});

describe("a conversation that is retold in one text", () => {
  const call = "[Assistant tool call]: bash({})\n[Tool result]: (no output)";
  const asks = (conversation: string, before = "") =>
    told(`<conversation>\n${conversation}\n</conversation>\nCreate a summary.${before}`);

  test("counts the calls that it retells", () => {
    const turn = asks(`[User]: ${scriptText(STEPS)}\n[Assistant]: word\n${call}`);
    expect(progressIn([turn])).toEqual({ left: STEPS.slice(1), must_summarize: true });
  });

  test("continues from the summary before it", () => {
    const turn = asks(`${call}\n${call}`, `<prior-summary>${scriptText(STEPS.slice(1))}</prior-summary>`);
    expect(progressIn([turn])).toEqual({ left: STEPS.slice(2), must_summarize: true });
  });
});

test("reminders that a client adds are not read as a request for a summary", () => {
  const reminder = told("<system-reminder>Skills: summary of files</system-reminder>");
  expect(progressIn([asked, called(1), reminder])?.must_summarize).toBe(false);
});
