import { expect, test } from "bun:test";
import { relayedCalls } from "./relayed-messages.ts";

/** What of a relayed conversation changes where results do not stand behind their calls, or ids are too long or not their own. */

const relay = (text: string) => relayedCalls(JSON.parse(text), () => text) ?? text;
const user = (text: string) => `{ "role":"user", "content":"\\u0048i ${text}", "n":1.10}`;
const calls = (...ids: string[]) =>
  `{"role":"assistant", "content":null,"tool_calls":[${ids.map((id) => `{"id":"${id}", "type":"function","function":{"name":"f","arguments":"{}"}}`).join(" ,")}]}`;
const result = (id: string) => `{"role":"tool", "tool_call_id":"${id}","content":"r"}`;
const list = (...messages: string[]) => `[${messages.join(",")}]`;
const LONG = "x".repeat(41);
const SHORT = `call_${Bun.hash(LONG).toString(36)}`;

test.each<[string, string, string]>([
  [
    "results behind their calls stay",
    `[ ${user("a")} , ${calls("c", "d")},${result("d")} ,${result("c")}, ${user("b")}]`,
    `[ ${user("a")} , ${calls("c", "d")},${result("d")} ,${result("c")}, ${user("b")}]`,
  ],
  [
    "a user's message between a call and its result moves behind it",
    list(user("a"), calls("c"), user("b"), result("c"), calls("e"), result("e")),
    list(user("a"), calls("c"), result("c"), user("b"), calls("e"), result("e")),
  ],
  [
    "messages between two results move behind both",
    list(calls("c", "d"), result("c"), user("a"), user("b"), result("d")),
    list(calls("c", "d"), result("c"), result("d"), user("a"), user("b")),
  ],
  [
    "ids above 40 characters are shortened, equal in call and result",
    list(calls("c", LONG), result(LONG), result("c")),
    list(calls("c", SHORT), result(SHORT), result("c")),
  ],
  [
    "an id that an earlier turn has becomes another, equal in call and result",
    list(calls("c"), result("c"), calls("c"), user("a"), result("c"), calls("c"), result("c")),
    list(calls("c"), result("c"), calls("c_2"), result("c_2"), user("a"), calls("c_3"), result("c_3")),
  ],
  [
    "two calls of one id in one turn have two, and their results in order",
    list(calls("c", "c"), result("c"), result("c")),
    list(calls("c", "c_2"), result("c"), result("c_2")),
  ],
  ["both at once", list(calls(LONG), user("a"), result(LONG)), list(calls(SHORT), result(SHORT), user("a"))],
])("%s", (_, text, expected) => {
  expect(relay(text)).toBe(expected);
  expect(relay(expected)).toBe(expected);
});
