import { expect, test } from "bun:test";
import { deliveredResponse } from "./delivered-response.ts";

const RESPONSE = { id: "resp_1", status: "completed", output: [{ text: "a\n\nb\r\n\r\nc" }] };
const frame = (type: string, end = "\n", head = `event: ${type}${end}`) =>
  `${head}data: ${JSON.stringify({ type, response: RESPONSE })}${end}${end}`;

test.each([
  ["a whole answer", JSON.stringify(RESPONSE), false],
  ["a whole answer in parts", [JSON.stringify(RESPONSE).slice(0, 9), JSON.stringify(RESPONSE).slice(9)], false],
  ["the last event", frame("response.completed"), true],
  ["the last of several events", frame("response.output_item.done") + frame("response.incomplete"), true],
  ["an event without a name", frame("response.completed", "\n", ""), true],
  ["events with other line ends", frame("response.in_progress", "\r\n") + frame("response.completed", "\r\n"), true],
  ["bytes", Buffer.from(frame("response.completed")), true],
])("is read from %s", (_, body, is_stream) => {
  expect(deliveredResponse(body, is_stream)).toEqual(RESPONSE);
});

test.each([
  ["a stream that failed", frame("response.completed") + frame("response.failed"), true],
  ["a stream without an end", frame("response.in_progress"), true],
  ["nothing", "", true],
  ["an answer that failed", JSON.stringify({ ...RESPONSE, status: "failed" }), false],
  ["invalid JSON", "{", false],
  ["a list", "[]", false],
])("is null for %s", (_, body, is_stream) => {
  expect(deliveredResponse(body, is_stream)).toBeNull();
});

test.each([false, true])("keeps the digits of its numbers, streamed %p", (is_stream) => {
  const numbers = '[1.0,-0,12345678901234567890,1e400,{"maximum":9223372036854775807}]';
  const response = `{"id":"resp_1","status":"completed","output":[],"tools":${numbers}}`;
  const body = is_stream
    ? `event: response.completed\ndata: {"type":"response.completed","response":${response}}\n\n`
    : response;
  expect(JSON.stringify(deliveredResponse(body, is_stream)?.tools)).toBe(numbers);
});
