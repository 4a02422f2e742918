import { expect, test } from "bun:test";
import { relayedCalls } from "./relayed-calls.ts";

/** What of a relayed conversation changes where Anthropic's API would refuse its calls and results. */

const relay = (text: string) => relayedCalls(JSON.parse(text), text) ?? text;
const use = (id: string) => `{"type":"tool_use", "id":"${id}","name":"f","input":{"n":98765432109876543210}}`;
const result = (id: string, text = "r") => `{"type":"tool_result", "tool_use_id":"${id}","content":"${text}"}`;
const text = (said: string) => `{"type":"text", "text":"\\u0048i ${said}"}`;
const answer = (...blocks: string[]) => `{ "role":"assistant", "content":[${blocks.join(" ,")}]}`;
const user = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(",")}]}`;
const says = (said: string) => `{ "role":"user", "content":"\\u0048i ${said}"}`;
const SYSTEM = `{"role":"system", "content":"x"}`;
const list = (...turns: string[]) => `[${turns.join(",")}]`;
const hashed = (id: string) => `call_${Bun.hash(id).toString(36)}`;

test.each<[string, string, string]>([
  [
    "calls of one id in each turn get different ids",
    list(says("a"), answer(use("c")), user(result("c")), answer(use("c")), user(result("c"), text("b"))),
    list(says("a"), answer(use("c")), user(result("c")), answer(use("c_2")), user(result("c_2"), text("b"))),
  ],
  [
    "calls of one id in one turn are answered in their order",
    list(answer(use("c"), use("c")), user(result("c", "1"), result("c", "2"))),
    list(answer(use("c"), use("c_2")), user(result("c", "1"), result("c_2", "2"))),
  ],
  [
    "ids of other vendors get letters that are taken",
    list(answer(text("a"), use("f:0")), user(result("f:0"))),
    list(answer(text("a"), use(hashed("f:0"))), user(result(hashed("f:0")))),
  ],
  [
    "results in several turns become one turn",
    list(answer(use("c"), use("d")), user(result("c")), user(result("d"), text("b"))),
    list(answer(use("c"), use("d")), user(result("c"), result("d"), text("b"))),
  ],
  [
    "a text before a result goes behind it",
    list(says("a"), answer(use("c")), user(text("b"), result("c"))),
    list(says("a"), answer(use("c")), user(result("c"), text("b"))),
  ],
  [
    "a user's message between a call and its result goes behind the result",
    list(says("a"), answer(use("c"), use("d")), says("b"), user(result("c"), text("e")), SYSTEM, user(result("d"))),
    list(
      says("a"),
      answer(use("c"), use("d")),
      user(result("c"), result("d"), `{"type":"text","text":"\\u0048i b"}`, text("e")),
      SYSTEM,
    ),
  ],
])("%s", (_, sent, expected) => {
  expect(relay(sent)).toBe(expected);
  expect(relay(expected)).toBe(expected);
});

test.each<[string, string]>([
  ["results that come first", list(says("a"), answer(use("c")), user(result("c"), text("b")), says("d"))],
  ["a text without results", list(says("a"), says("b"), answer(text("c")), says("d"))],
])("%s stay as they were sent", (_, sent) => {
  expect(relayedCalls(JSON.parse(sent), sent)).toBeNull();
});
