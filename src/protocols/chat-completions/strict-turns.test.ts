import { expect, test } from "bun:test";
import { strictTurns } from "./strict-turns.ts";

const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const HI = { role: "user", content: "Hi" };
const RESULT = { role: "tool", tool_call_id: "abcDEF123", content: "2" };

test("calls and their results get one id of nine letters and digits, and ids of that form stay", () => {
  const turns = strictTurns([
    HI,
    { role: "assistant", content: null, tool_calls: [call("toolu_01A"), call("abcDEF123")] },
    { role: "tool", tool_call_id: "toolu_01A", content: "1" },
    RESULT,
  ]);
  const [, answer, first, second] = turns as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
  expect(answer?.tool_calls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(first?.tool_call_id).toBe(answer?.tool_calls?.[0]?.id);
  expect(second).toBe(RESULT);
});

test("an assistant message is put between a tool's result and the user's next message", () => {
  expect(strictTurns([RESULT, HI])).toEqual([RESULT, { role: "assistant", content: "Done." }, HI]);
});

test("a last assistant message is marked as a prefix", () => {
  const answer = { role: "assistant", content: "So" };
  expect(strictTurns([HI, answer])).toEqual([HI, { ...answer, prefix: true }]);
});

test("messages that need no change are returned as the same list", () => {
  const messages = [HI, { role: "assistant", content: null, tool_calls: [call("abcDEF123")] }, RESULT];
  expect(strictTurns(messages)).toBe(messages);
});
