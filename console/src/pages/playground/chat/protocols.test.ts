import { describe, expect, test } from "bun:test";
import type { Model } from "../../../../../contract/models.ts";
import { comparedModels } from "../compared-models.ts";
import type { ChatStyle } from "../endpoints.ts";
import type { ChatRequest } from "./chat-request.ts";
import { answerOf, emptyDraft } from "./draft.ts";
import { contentOf, settingsIn } from "./prompt-content.ts";
import { isFailureEvent, PROTOCOLS } from "./protocols.ts";
import {
  EXAMPLE_SCHEMA,
  EXAMPLE_TOOLS,
  fitSettings,
  NO_SETTINGS,
  readTools,
  type Settings,
  samplingOf,
  settingsAreSound,
  settingsProblem,
} from "./settings.ts";
import { openCalls, type Run, type Turn } from "./turns.ts";

const CALL = { id: "call_1", name: "get_weather", arguments: '{"city":"Lugo"}' };
const SEAL = { type: "thinking", thinking: "hm", signature: "s" };

function answered(style: ChatStyle, phase: Run["phase"]): Turn {
  const answer = { ...answerOf(emptyDraft()), text: "Wait.", calls: [CALL], sealed: [SEAL] };
  const times = { first_ms: null, duration_ms: null };
  const rest = { id: 1, model: "a/b", body: {}, events: [], request_id: null, ignored: [], failure: null };
  return { role: "assistant", run: { ...rest, ...times, style, phase, answer } };
}

function asked(turns: readonly Turn[], settings: Partial<ChatRequest["settings"]> = {}): ChatRequest {
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

const ALL_SET: Partial<Settings> = {
  ...{ temperature: "0.5", top_p: "0.9", top_k: "40", frequency_penalty: "1", presence_penalty: "-1", seed: "7" },
  ...{ stop: "END\n\nSTOP", schema: EXAMPLE_SCHEMA },
};
const SCHEMA = JSON.parse(EXAMPLE_SCHEMA) as object;

function modelOf(more: Partial<Model> = {}): Model {
  const capabilities = { streaming: true, tools: true, json: true, vision: false, thinking: false };
  return { id: "a/b", kind: "chat", capabilities, max_completion_tokens: null, ...more } as Model;
}

describe("sampling settings and the schema", () => {
  test.each([
    [
      "chat",
      {
        ...{ temperature: 0.5, top_p: 0.9, frequency_penalty: 1, presence_penalty: -1, seed: 7, stop: ["END", "STOP"] },
        response_format: { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA } },
      },
      ["top_k"],
    ],
    [
      "responses",
      { temperature: 0.5, top_p: 0.9, text: { format: { type: "json_schema", name: "answer", schema: SCHEMA } } },
      ["top_k", "frequency_penalty", "seed", "stop"],
    ],
    [
      "messages",
      {
        ...{ temperature: 0.5, top_p: 0.9, top_k: 40, stop_sequences: ["END", "STOP"] },
        output_config: { format: { type: "json_schema", schema: SCHEMA } },
      },
      ["frequency_penalty", "seed", "stop"],
    ],
  ] as const)("%s says them in its own words, and leaves out what it has not", (style, said, absent) => {
    const settings = fitSettings({ ...NO_SETTINGS, ...ALL_SET }, modelOf(), style);
    const body = JSON.parse(JSON.stringify(PROTOCOLS[style].body(asked([HELLO], settings)))) as object;
    expect(body).toMatchObject(said);
    for (const name of absent) expect(body).not.toHaveProperty(name);
  });

  test("are those that the model takes: none, or none beside reasoning, where it says so", () => {
    const names = (sampling: Model["sampling"], effort = "") =>
      samplingOf(modelOf(sampling === undefined ? {} : { sampling }), "chat", effort).map(({ name }) => name);
    expect(names("never")).toEqual(["seed"]);
    expect(names("without_reasoning")).toEqual(["seed"]);
    expect(names("without_reasoning", "off")).toContain("temperature");
    expect(names(undefined)).toContain("top_p");
    const { temperature, seed, schema } = fitSettings(
      { ...NO_SETTINGS, ...ALL_SET },
      modelOf({ sampling: "never", capabilities: { ...modelOf().capabilities, json: false } }),
      "chat",
    );
    expect({ temperature, seed, schema }).toEqual({ temperature: "", seed: "7", schema: "" });
  });

  test.each([
    ["temperature", "3", "chat", "from 0 to 2"],
    ["temperature", "1.5", "messages", "from 0 to 1"],
    ["top_k", "0.5", "messages", "whole number"],
    ["presence_penalty", "-3", "chat", "from -2 to 2"],
    ["schema", "[]", "chat", "JSON schema"],
    ["stop", "a\nb\nc\nd\ne", "chat", "at most 4"],
  ] as const)("%s of %j is wrong for %s: %s", (field, text, style, said) => {
    const settings = { ...NO_SETTINGS, [field]: text };
    expect(settingsProblem(settings, field, style)).toContain(said);
    expect(settingsAreSound(settings, style)).toBe(false);
  });
});

test("a saved prompt has what was filled in, and opens as it was", () => {
  const settings = { ...NO_SETTINGS, ...ALL_SET, system: "Be brief." };
  const content = contentOf(settings, { model: "a/b", style: "messages", message: "Hello" });
  expect(content).toMatchObject({
    model: "a/b",
    style: "messages",
    message: "Hello",
    system: "Be brief.",
    top_k: "40",
  });
  expect(content).not.toHaveProperty("max_tokens");
  expect(settingsIn(content)).toEqual(settings);
});

test("the models of a comparison are known chat models, each once, four with the first", () => {
  const models = ["a/1", "a/2", "a/3", "a/4", "a/5"].map((id) => modelOf({ id }));
  const first = models[0] ?? modelOf();
  const decider = modelOf({ id: "a/decider", kind: "decision" });
  const ids = (named?: string) => comparedModels([...models, decider], first, named).map(({ id }) => id);
  expect(ids("a/2,a/2,a/1,a/none,a/decider,a/3,a/4,a/5")).toEqual(["a/2", "a/3", "a/4"]);
  expect(ids()).toEqual([]);
});
