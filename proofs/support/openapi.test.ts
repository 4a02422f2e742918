import { expect, test } from "bun:test";
import { undocumented } from "./openapi.ts";

const CHAT = { method: "POST", path: "/v1/chat/completions" };
const answered = (body: unknown, status = 200, content_type = "application/json") => ({
  ...{ status, content_type },
  text: typeof body === "string" ? body : JSON.stringify(body),
});
const CHOICE = { index: 0, finish_reason: "stop", message: { role: "assistant", content: "x" } };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const GOOD = { id: "x", object: "chat.completion", created: 1, model: "m", choices: [CHOICE], usage: USAGE };

test("an answer that the document describes has no differences", () => {
  expect(undocumented(CHAT, answered(GOOD))).toEqual([]);
});

test.each([
  ["a value of another kind behind references", { ...GOOD, usage: { ...USAGE, prompt_tokens: "1" } }, "prompt_tokens"],
  ["a word that is not allowed", { ...GOOD, choices: [{ ...CHOICE, message: { role: "critic" } }] }, "role"],
  ["a field that is missing", { ...GOOD, choices: undefined }, "choices"],
])("%s is one, with its place", (_what, body, place) => {
  expect(undocumented(CHAT, answered(body))).toEqual([expect.stringContaining(place)]);
});

test("so is an event of an unknown kind, a status and a content type that the operation does not have", () => {
  const stream = answered('data: {"type":"nonsense"}\n\n', 200, "text/event-stream");
  expect(undocumented({ ...CHAT, path: "/v1/messages" }, stream)).toHaveLength(1);
  expect(undocumented(CHAT, answered(GOOD, 299))).toEqual([expect.stringContaining("299")]);
  expect(undocumented(CHAT, answered("x", 200, "text/plain"))).toEqual([expect.stringContaining("text/plain")]);
});
