import { describe, expect, test } from "bun:test";
import { type ChatGrammarOptions, checkChatStream } from "./stream-grammar.ts";

/** Legal streams, and the smallest streams that break each of the grammar's rules. */

type Fields = Readonly<Record<string, unknown>>;

const USAGE = {
  prompt_tokens: 5,
  completion_tokens: 2,
  total_tokens: 7,
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

const chunk = (more: Fields): Fields => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  ...more,
});
const say = (delta: Fields, finish_reason: string | null = null, more: Fields = {}): Fields =>
  chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason, ...more }] });
const call = (index: number, more: Fields): Fields => say({ tool_calls: [{ index, ...more }] });
const opened = (index: number) =>
  call(index, { id: `t${index}`, type: "function", function: { name: "f", arguments: "" } });
const written = (index: number) => call(index, { function: { arguments: "{}" } });
const usage = (more: unknown = USAGE): Fields => chunk({ choices: [], usage: more });

const ROLE = say({ role: "assistant", content: "" });
const HI = say({ content: "Hi" });
const STOP = say({}, "stop");
const CALLED = say({}, "tool_calls");
const ERROR = { error: { message: "no", type: "api_error", param: null, code: "provider_error" } };

const frame = (data: unknown) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const stream = (...data: readonly unknown[]) => data.map(frame).join("");
const whole = (...data: readonly unknown[]) => stream(...data, "[DONE]");

const LEGAL: readonly (readonly [string, string, ChatGrammarOptions?])[] = [
  ["text", whole(ROLE, HI, HI, STOP)],
  ["an empty answer", whole(ROLE, STOP)],
  ["a role with content", whole(say({ role: "assistant", content: "Hi" }), STOP)],
  [
    "reasoning and what seals it",
    whole(ROLE, say({ reasoning_content: "Hm" }), say({ reasoning_details: [{}] }), HI, STOP),
  ],
  ["a refusal", whole(ROLE, say({ refusal: "No." }), STOP)],
  ["parallel calls", whole(ROLE, HI, opened(0), written(0), opened(1), written(1), CALLED)],
  [
    "a call of a custom tool",
    whole(
      ROLE,
      call(0, { id: "t", type: "custom", custom: { name: "f", input: "" } }),
      call(0, { custom: { input: "x" } }),
      CALLED,
    ),
  ],
  [
    "a function call of the older form",
    whole(
      ROLE,
      say({ function_call: { name: "f", arguments: "" } }),
      say({ function_call: { arguments: "{}" } }),
      say({}, "function_call"),
    ),
  ],
  ["calls that were cut", whole(ROLE, opened(0), say({}, "length"))],
  ["log probabilities", whole(ROLE, say({ content: "Hi" }, null, { logprobs: { content: [], refusal: null } }), STOP)],
  ["fields that it does not know", whole({ ...ROLE, service_tier: "default" }, HI, STOP)],
  ["the usage that was asked for", whole(ROLE, { ...HI, usage: null }, STOP, usage()), { include_usage: true }],
  ["an error after content", stream(ROLE, HI, ERROR), {}],
  [
    "two choices",
    whole(
      ROLE,
      chunk({ choices: [{ index: 1, delta: { role: "assistant" }, finish_reason: null }] }),
      STOP,
      chunk({ choices: [{ index: 1, delta: {}, finish_reason: "stop" }] }),
    ),
    { choices: 2 },
  ],
];

const ILLEGAL: readonly (readonly [string, string, number, ChatGrammarOptions?])[] = [
  ["no end", stream(ROLE, HI, STOP), 3],
  ["an empty stream", "", 0],
  ["half a frame", `${whole(ROLE, STOP)}data: {`, 3],
  ["a comment", `${frame(ROLE)}: ping\n\n${whole(STOP)}`, 1],
  ["an event name", `event: x\n${whole(ROLE, STOP)}`, 0],
  ["a line end of CRLF", `${frame(ROLE).replace("\n\n", "\r\n\n")}${whole(STOP)}`, 0],
  ["data that is no JSON", stream(ROLE, "{", STOP), 1],
  ["something after [DONE]", whole(ROLE, STOP) + frame(HI), 3],
  ["something after an error", stream(ROLE, ERROR, "[DONE]"), 2],
  ["an error first", stream(ERROR), 0],
  ["an error without a message", stream(ROLE, { error: { type: "x", param: null, code: "y" } }), 1],
  ["[DONE] without a finish_reason", whole(ROLE, HI), 2],
  ["a finish_reason first", whole(say({ role: "assistant" }, "stop")), 0],
  ["content first", whole(HI, STOP), 0],
  ["a second role", whole(ROLE, ROLE, STOP), 1],
  ["content after the finish_reason", whole(ROLE, STOP, HI), 2],
  ["content with the finish_reason", whole(ROLE, say({ content: "x" }, "stop")), 1],
  ["a finish_reason of another vendor", whole(ROLE, say({}, "end_turn")), 1],
  ["a function call that was none", whole(ROLE, say({}, "function_call")), 1],
  ["a function call without a name", whole(ROLE, say({ function_call: { arguments: "" } })), 1],
  [
    "a function's name twice",
    whole(
      ROLE,
      say({ function_call: { name: "f", arguments: "" } }),
      say({ function_call: { name: "f", arguments: "" } }),
    ),
    2,
  ],
  ["a function call and stop", whole(ROLE, say({ function_call: { name: "f", arguments: "" } }), STOP), 2],
  ["a finish_reason that is missing", whole(ROLE, chunk({ choices: [{ index: 0, delta: {} }] })), 1],
  ["stop after calls", whole(ROLE, opened(0), written(0), STOP), 3],
  ["tool_calls without calls", whole(ROLE, CALLED), 1],
  ["a call that does not begin at 0", whole(ROLE, opened(1), CALLED), 1],
  ["a call that is taken up again", whole(ROLE, opened(0), opened(1), written(0), CALLED), 3],
  [
    "a call without an id",
    whole(ROLE, call(0, { type: "function", function: { name: "f", arguments: "" } }), CALLED),
    1,
  ],
  [
    "a call without a name",
    whole(ROLE, call(0, { id: "t", type: "function", function: { arguments: "" } }), CALLED),
    1,
  ],
  ["a call without a type", whole(ROLE, call(0, { id: "t", function: { name: "f", arguments: "" } }), CALLED), 1],
  [
    "a call whose id comes again",
    whole(ROLE, opened(0), call(0, { id: "t0", function: { arguments: "" } }), CALLED),
    2,
  ],
  [
    "a call whose name comes again",
    whole(ROLE, opened(0), call(0, { function: { name: "f", arguments: "" } }), CALLED),
    2,
  ],
  ["arguments that are no text", whole(ROLE, opened(0), call(0, { function: { arguments: {} } }), CALLED), 2],
  ["content that is no text", whole(ROLE, say({ content: [] }), STOP), 1],
  ["an id that changes", whole(ROLE, { ...HI, id: "c2" }, STOP), 1],
  ["a model that changes", whole(ROLE, { ...HI, model: "n" }, STOP), 1],
  ["an id that is empty", whole({ ...ROLE, id: "" }, STOP), 0],
  ["another object", whole({ ...ROLE, object: "chat.completion" }, STOP), 0],
  ["a time that is no integer", whole({ ...ROLE, created: "1" }, STOP), 0],
  ["another choice", whole(ROLE, chunk({ choices: [{ index: 1, delta: {}, finish_reason: null }] }), STOP), 1],
  ["a choice less than were asked for", whole(ROLE, STOP), 2, { choices: 2 }],
  ["a usage that nobody asked for", whole(ROLE, STOP, usage()), 2],
  ["a null usage that nobody asked for", whole({ ...ROLE, usage: null }, STOP), 0],
  ["no usage where it was asked for", whole(ROLE, STOP), 2, { include_usage: true }],
  ["a usage before the end", whole(ROLE, usage(), STOP), 1, { include_usage: true }],
  ["a usage beside choices", whole(ROLE, { ...STOP, usage: USAGE }), 1, { include_usage: true }],
  ["two usages", whole(ROLE, STOP, usage(), usage()), 3, { include_usage: true }],
  ["a total that is no sum", whole(ROLE, STOP, usage({ ...USAGE, total_tokens: 8 })), 2, { include_usage: true }],
  [
    "more cached than all",
    whole(ROLE, STOP, usage({ ...USAGE, prompt_tokens_details: { cached_tokens: 6 } })),
    2,
    { include_usage: true },
  ],
  [
    "a usage without details",
    whole(ROLE, STOP, usage({ ...USAGE, prompt_tokens_details: undefined })),
    2,
    { include_usage: true },
  ],
];

describe("the grammar of chat streams", () => {
  for (const [name, text, options] of LEGAL) {
    test(`accepts ${name}`, () => {
      expect(checkChatStream(text, options)).toEqual({ end: name.startsWith("an error") ? "error" : "done" });
    });
  }
  for (const [name, text, at, options] of ILLEGAL) {
    test(`refuses ${name}`, () => {
      const verdict = checkChatStream(text, options);
      expect(verdict).toMatchObject({ frame: at });
      if ("problem" in verdict) expect(verdict.problem.length).toBeGreaterThan(5);
    });
  }
});
