import { describe, expect, test } from "bun:test";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { replay } from "../../../proofs/support/replay-stream.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { ResponsesStreamDecoder } from "./codec.ts";
import { readWholeResponse } from "./read-whole.ts";
import { ResponsesStream } from "./stream.ts";

/** Vendors that tell an item twice, under other names or in other places, or leave out what clients read (docs/rulings.md 172, 201, 202). */

type Data = Record<string, unknown>;

const callOf = (n: number, args = `{"q":${n}}`, status = "completed") => ({
  ...{ id: `fc_${n}`, type: "function_call", status, call_id: `call_${n}`, name: `f${n}`, arguments: args },
});
const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };
const at = (output_index?: number) => (output_index === undefined ? {} : { output_index });
const added = (n: number, index?: number) => ({
  ...{ type: "response.output_item.added", ...at(index), item: callOf(n, "", "in_progress") },
});
const delta = (n: number, text: string, index?: number) => ({
  ...{ type: "response.function_call_arguments.delta", item_id: `fc_${n}`, ...at(index), delta: text },
});
const unnamed = ({ item_id: _, ...event }: Data & { type: string }): Data => event;
const done = (n: number, index?: number) => ({ type: "response.output_item.done", ...at(index), item: callOf(n) });
const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const completed = (...output: Data[]) => ({
  type: "response.completed",
  response: { id: "resp_1", status: "completed", output, usage: USAGE },
});
const thought = { id: "rs_1", type: "reasoning", summary: [] };
const one = ['call_0 {"q":0}'];
const two = ['call_0 {"q":0}', 'call_1 {"q":1}'];

function framesOf(events: readonly Data[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

function translated(events: readonly Data[]): unknown {
  const outcome: unknown = outcomeOf(decodeInPieces(new ResponsesStreamDecoder(), framesOf(events), null));
  const { blocks } = outcome as { blocks?: { kind: string; id?: string; text: string }[] };
  return blocks?.map(({ kind, id, text }) => (kind === "tool-call" ? `${id} ${text}` : text)) ?? outcome;
}

function relayed(events: readonly Data[]) {
  const answer = replay(new ResponsesStream("acme/swift"), framesOf(events), null);
  const sent = [...answer.output.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as Data);
  return { ...answer, sent };
}

const CALLS: Readonly<Record<string, readonly [events: readonly Data[], expected: readonly string[]]>> = {
  "in their places": [[created, added(0, 0), delta(0, '{"q":0}', 0), done(0, 0), completed(callOf(0))], one],
  "behind reasoning that was not streamed": [
    [created, added(0, 0), delta(0, '{"q":0}', 0), done(0, 0), completed(thought, callOf(0))],
    one,
  ],
  "streamed from index 1": [
    [
      ...[created, added(0, 1), delta(0, '{"q":0}', 1), done(0, 1), added(1, 2), delta(1, '{"q":1}', 2), done(1, 2)],
      completed(callOf(0), callOf(1)),
    ],
    two,
  ],
  "without any index": [[created, added(0), delta(0, '{"q":0}'), done(0), completed(callOf(0))], one],
  "without any index, side by side": [
    [
      ...[created, added(0), added(1), delta(0, '{"q":'), delta(1, '{"q":'), delta(0, "0}"), delta(1, "1}")],
      ...[done(0), done(1), completed(callOf(0), callOf(1))],
    ],
    two,
  ],
  "side by side, that nothing announces and only their places tell apart": [
    [
      ...[created, unnamed(delta(0, '{"q":', 0)), unnamed(delta(1, '{"q":', 1)), unnamed(delta(0, "0}", 0))],
      ...[unnamed(delta(1, "1}", 1)), done(0, 0), done(1, 1), completed(callOf(0), callOf(1))],
    ],
    two,
  ],
  "side by side, that nothing announces nor tells apart": [
    [
      ...[created, unnamed(delta(0, '{"q":')), unnamed(delta(1, '{"q":')), unnamed(delta(0, "0}"))],
      ...[unnamed(delta(1, "1}")), done(0, 0), done(1, 1), completed(callOf(0), callOf(1))],
    ],
    two,
  ],
  "with deltas that are always at index 0": [
    [
      ...[created, added(0, 0), added(1, 1), delta(0, '{"q":0}', 0), delta(1, '{"q":1}', 0), done(0, 0), done(1, 1)],
      completed(callOf(0), callOf(1)),
    ],
    two,
  ],
  "all at index 0, with an empty last output": [
    [
      ...[created, added(0, 0), delta(0, '{"q":0}', 0), done(0, 0), added(1, 0), delta(1, '{"q":1}', 0), done(1, 0)],
      completed(),
    ],
    two,
  ],
  "with other item ids in the last output": [
    [created, added(0, 0), delta(0, '{"q":0}', 0), done(0, 0), completed({ ...callOf(0), id: "fc_9" })],
    one,
  ],
};

describe.each(Object.entries(CALLS))("calls %s", (_name, [events, expected]) => {
  test("are there once, for a client of another protocol", () => expect(translated(events)).toEqual([...expected]));

  test("are there once, with one id each, for a client of this one", () => {
    const { sent } = relayed(events);
    const { response } = sent.at(-1) as { response: { output: Data[] } };
    const { output } = response;
    const calls = output.filter(({ type }) => type === "function_call");
    expect(calls.map(({ call_id, arguments: args }) => `${call_id} ${args}`)).toEqual([...expected]);
    const told = sent.filter(({ type }) => type === "response.output_item.added").map(({ item }) => (item as Data).id);
    expect(output.map(({ id }) => id).toSorted()).toEqual(told.toSorted());
    expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_, index) => index));
  });
});

test("text that stands behind reasoning in the last event alone is there once", () => {
  const message = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Hello", annotations: [] }] };
  const place = { output_index: 0, content_index: 0, item_id: "msg_1" };
  const events = [
    ...[created, { type: "response.output_text.delta", ...place, delta: "Hello" }],
    ...[{ type: "response.output_item.done", output_index: 0, item: message }, completed(thought, message)],
  ];
  expect(translated(events)).toEqual(["Hello"]);
});

test("events and members that nobody knows pass on relay, and a right frame passes as it came", () => {
  const compacting = { type: "response.compaction.compacting", sequence_number: 1, note: "x" };
  const unknown = { type: "response.new.thing", sequence_number: 2, item_id: "q", output_index: 7 };
  const { output } = relayed([{ ...created, sequence_number: 0 }, compacting, unknown, completed(thought)]);
  for (const event of [compacting, unknown]) expect(output).toContain(`data: ${JSON.stringify(event)}\n`);
});

const PART = { type: "output_text", text: "Hello", annotations: [] };
const MESSAGE = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [PART] };
const text = { item_id: "msg_1", output_index: 0, content_index: 0 };
const told = [
  { type: "response.output_item.added", output_index: 0, item: { ...MESSAGE, status: "in_progress", content: [] } },
  { type: "response.output_text.delta", ...text, delta: "Hel" },
  { type: "response.output_text.delta", ...text, logprobs: [], delta: "l" },
  { type: "response.output_text.delta", ...text, logprobs: null, delta: "o" },
  { type: "response.output_text.done", ...text, text: "Hello" },
  { type: "response.output_item.done", output_index: 0, item: MESSAGE },
];
const early = (type: string) => ({ type, response: { ...created.response, output: [MESSAGE] } });

test("events about a text have the list of log-probabilities that openai-python gives its callers", () => {
  for (const events of [[created, ...told, completed(MESSAGE)], [completed(MESSAGE)]]) {
    const { sent } = relayed(events);
    const texts = sent.filter(({ type }) => /^response\.output_text\.(delta|done)$/.test(String(type)));
    expect(texts.length).toBeGreaterThan(1);
    for (const event of texts) expect(event.logprobs).toEqual([]);
  }
});

test("log-probabilities that a vendor sends are the client's", () => {
  const logprobs = [{ token: "Hel", logprob: -0.5, bytes: [72], top_logprobs: [] }];
  const { sent } = relayed([created, ...told.map((event) => ({ ...event, logprobs })), completed(MESSAGE)]);
  expect(sent.filter(({ type }) => type === "response.output_text.delta").map((one) => one.logprobs)).toEqual([
    ...[logprobs, logprobs, logprobs],
  ]);
});

test.each([
  ["response.created", [early("response.created")]],
  ["response.in_progress", [created, early("response.in_progress")]],
  ["response.queued", [created, early("response.queued")]],
])("a response in %s has no output yet, as openai-python would read its items twice", (name, begun) => {
  const { sent } = relayed([...begun, ...told, completed(MESSAGE)]);
  expect(sent.find(({ type }) => type === name)).toMatchObject({ response: { id: "resp_1", output: [] } });
  expect(sent.at(-1)).toMatchObject({ response: { output: [MESSAGE] } });
});

const HALF = callOf(0, '{"q":');
const ENDS: Readonly<Record<string, readonly [response: Data, status: number | undefined]>> = {
  "nothing, and counts nothing": [{ output: [], usage: { input_tokens: 0, output_tokens: 0 } }, 502],
  "nothing, and has no usage": [{ output: [] }, 502],
  "nothing, and counts its input": [{ output: [], usage: USAGE }, undefined],
  "half a call": [{ output: [HALF], usage: USAGE }, 502],
  "half a call, and says that it was cut": [
    { output: [HALF], usage: USAGE, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    undefined,
  ],
  "a call whose arguments are whole and no object": [{ output: [callOf(0, "hello")], usage: USAGE }, undefined],
};

describe.each(Object.entries(ENDS))("an answer that has %s", (_name, [members, status]) => {
  const response = { id: "resp_1", status: "completed", ...members };

  test("is judged alike, relayed and translated, whole and streamed", () => {
    const type = response.status === "incomplete" ? "response.incomplete" : "response.completed";
    const events = [created, { type, response }];
    expect(relayed(events).failure?.status).toBe(status);
    expect(readWholeResponse(JSON.stringify(response), "acme/swift").failure?.status).toBe(status);
    const outcome: unknown = outcomeOf(decodeInPieces(new ResponsesStreamDecoder(), framesOf(events), null));
    expect((outcome as { status?: number }).status).toBe(status);
  });
});

test("arguments that were told in two ways are an error for a client that has them already", () => {
  expect(translated([created, added(0, 0), delta(0, '{"q":5', 0), done(0, 0), completed(callOf(0))])).toMatchObject({
    status: 502,
  });
});

test.each([
  [
    { type: "message", content: null },
    { role: "assistant", content: [] },
  ],
  [
    { type: "reasoning", id: "rs_1" },
    { id: "rs_1", summary: [] },
  ],
  [
    { type: "function_call", name: "f", arguments: "{}" },
    { name: "f", call_id: expect.stringMatching(/./) },
  ],
])("a whole answer's item %j has what clients read", (item, expected) => {
  const answer = readWholeResponse(JSON.stringify({ id: "r", status: "completed", output: [item] }), "acme/swift");
  const body = JSON.parse(bytesOf(answer.body).toString()) as { output: Data[] };
  expect(body.output[0]).toMatchObject({ id: expect.stringMatching(/./), ...expected });
});
