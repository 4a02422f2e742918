import { describe, expect, test } from "bun:test";
import type { ChatStyle } from "../endpoints.ts";
import type { Asked } from "./asked.ts";
import { answerOf, emptyDraft } from "./draft.ts";
import { isFailureEvent, PROTOCOLS } from "./protocols.ts";
import { EXAMPLE_TOOLS, NO_SETTINGS, readTools, settingsProblem } from "./settings.ts";
import { openCalls, type Run, type Turn } from "./turns.ts";

const CALL = { id: "call_1", name: "get_weather", arguments: '{"city":"Lugo"}' };
const SEAL = { type: "thinking", thinking: "hm", signature: "s" };

function answered(style: ChatStyle, phase: Run["phase"]): Turn {
  const answer = { ...answerOf(emptyDraft()), text: "Wait.", calls: [CALL], sealed: [SEAL] };
  const times = { first_ms: null, duration_ms: null };
  const rest = { id: 1, model: "a/b", body: {}, events: [], request_id: null, ignored: [], failure: null };
  return { role: "assistant", run: { ...rest, ...times, style, phase, answer } };
}

function asked(turns: readonly Turn[], settings: Partial<Asked["settings"]> = {}): Asked {
  return { model: "a/b", turns, settings: { ...NO_SETTINGS, ...settings }, most_tokens: 64_000 };
}

const HELLO: Turn = { role: "user", text: "Hello", images: [] };

test("tool calls of a stopped answer are not sent back, and wait for no result", () => {
  const stopped = [HELLO, answered("chat", "stopped")];
  expect(openCalls(stopped)).toEqual([]);
  expect(openCalls([HELLO, answered("chat", "done")])).toEqual([CALL]);
  expect(PROTOCOLS.chat.body(asked(stopped)).messages).toEqual([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Wait." },
  ]);
});

test("signed thinking is sent back in the style that it came from, and in no other style", () => {
  const sealed = (style: ChatStyle, from: ChatStyle) =>
    JSON.stringify(PROTOCOLS[style].body(asked([HELLO, answered(from, "done")]))).includes('"signature":"s"');
  expect(sealed("messages", "messages")).toBe(true);
  expect(sealed("chat", "chat")).toBe(true);
  expect(sealed("messages", "chat")).toBe(false);
  expect(sealed("chat", "messages")).toBe(false);
  expect(sealed("responses", "messages")).toBe(false);
});

describe("reasoning controls", () => {
  test.each([
    ["chat", { effort: "high" }, { reasoning_effort: "high" }],
    ["chat", { effort: "off" }, { reasoning_effort: "none" }],
    ["responses", { effort: "low" }, { reasoning: { effort: "low", summary: "auto" } }],
    ["responses", { effort: "off" }, { reasoning: { effort: "none" } }],
    ["messages", { effort: "off", budget: "2048" }, { thinking: { type: "disabled" } }],
    ["messages", { budget: "2048" }, { thinking: { type: "enabled", budget_tokens: 2048 }, max_tokens: 6144 }],
    ["messages", { effort: "low" }, { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
  ] as const)("%s says %j", (style, settings, said) => {
    expect(PROTOCOLS[style].body(asked([HELLO], settings))).toMatchObject(said);
  });

  test.each(["chat", "responses", "messages"] as const)("%s has no such fields where no setting is set", (style) => {
    const body = PROTOCOLS[style].body(asked([HELLO]));
    const said = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    expect(said.filter((name) => /reason|think|output_config|temperature|tools/.test(name))).toEqual([]);
  });
});

test("tool calls whose pieces come interleaved are joined by their indices", () => {
  const draft = emptyDraft();
  const piece = (index: number, text: string, more: object = {}) =>
    PROTOCOLS.chat.read(draft, {
      choices: [{ delta: { tool_calls: [{ index, function: { arguments: text }, ...more }] } }],
    });
  PROTOCOLS.chat.read(draft, {
    choices: [{ delta: { tool_calls: [{ index: 0, id: "a", function: { name: "f" } }] } }],
  });
  PROTOCOLS.chat.read(draft, {
    choices: [{ delta: { tool_calls: [{ index: 1, id: "b", function: { name: "g" } }] } }],
  });
  piece(0, '{"x"');
  piece(1, "{}");
  piece(0, ":1}");
  expect(answerOf(draft).calls).toEqual([
    { id: "a", name: "f", arguments: '{"x":1}' },
    { id: "b", name: "g", arguments: "{}" },
  ]);
});

test("an error inside a stream is recognised in every style", () => {
  expect(isFailureEvent({ error: { message: "no" } })).toBe(true);
  expect(isFailureEvent({ type: "error", error: { message: "no" } })).toBe(true);
  expect(isFailureEvent({ type: "response.failed", response: {} })).toBe(true);
  expect(isFailureEvent({ type: "response.created", response: { error: null } })).toBe(false);
});

test("wrong parameters are reported at their fields", () => {
  expect(settingsProblem({ ...NO_SETTINGS, temperature: "warm" }, "temperature")).toBe("Write a number.");
  expect(settingsProblem({ ...NO_SETTINGS, max_tokens: "1.5" }, "max_tokens")).toContain("whole number");
  expect(settingsProblem({ ...NO_SETTINGS, tools: '[{"nam":1}]' }, "tools")).toContain("each with a name");
  expect(readTools(EXAMPLE_TOOLS)).toMatchObject([{ name: "get_weather" }]);
});
