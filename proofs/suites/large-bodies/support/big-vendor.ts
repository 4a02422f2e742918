/** A vendor that reads any body without looking at it, and answers with as much as it is told to: run as a program. */

/** The vendor's models: how an answer looks, and how large it is. */
const OUTPUTS: Readonly<Record<string, () => string>> = {
  small: () => "ok",
  text: () => "a".repeat(LARGE),
  words: () => "漢字".repeat(LARGE / 6),
};
const LARGE = 31 * 2 ** 20;
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  maxRequestBodySize: 2 ** 30,
  fetch: answer,
});
console.log(server.port);

async function answer(request: Request): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  const start = body.subarray(0, 4096).toString("latin1") + body.subarray(-4096).toString("latin1");
  const output = /"(?:[\w-]+\/)?big-([a-z]+)"/.exec(start)?.[1] ?? "small";
  const streams = /"stream":\s*true/.test(start);
  const { pathname } = new URL(request.url);
  if (output === "tokens") return json(manyTokens());
  const text = (OUTPUTS[output] ?? OUTPUTS.small)?.() ?? "";
  if (pathname.endsWith("/decisions")) return json(decided([{ type: "predicate", name: null, probability: 0.9 }]));
  if (pathname.endsWith("/systemone")) return json(decided({ q: { type: "noul", noul: 0.9 } }));
  if (pathname.includes(":generateContent")) return json(candidate(text));
  if (pathname.endsWith("/messages")) return streams ? sse(messageEvents(output)) : json(message(text));
  if (pathname.endsWith("/responses")) return streams ? sse(responseEvents(output)) : json(response(text));
  return streams ? sse(chunks(output)) : json(completion(text));
}

function completion(content: string): object {
  const message = { role: "assistant", content };
  const choice = { index: 0, message, logprobs: { content: [FIRST] }, finish_reason: "stop" };
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "big", choices: [choice], usage: USAGE };
}

/** The token that answers the calls of our decision engine. */
const FIRST = { token: "A", logprob: -0.1, top_logprobs: [{ token: "B", logprob: -2.3 }] };

function decided(answers: object): object {
  return { answers, model: "big", usage: { input_tokens: 10, output_tokens: 0, total_tokens: 10 } };
}

/** A completion with log-probabilities: many small objects. */
function manyTokens(): object {
  const content = [];
  for (let size = 0; size < LARGE; size += 70)
    content.push({ token: "ab", logprob: -0.5, bytes: [97, 98], top_logprobs: [] });
  const choice = {
    index: 0,
    message: { role: "assistant", content: "ab" },
    logprobs: { content },
    finish_reason: "stop",
  };
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "big", choices: [choice], usage: USAGE };
}

function* chunks(output: string): Iterable<[string | null, object | string]> {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "big" };
  yield [null, { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: null }] }];
  if (output in EVENTS) {
    const [written, inside] = largeEvent(output);
    yield [
      null,
      within({ ...chunk, choices: [{ index: 0, delta: { content: written }, finish_reason: null }] }, inside),
    ];
  }
  yield [null, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }];
  yield [null, { ...chunk, choices: [], usage: USAGE }];
  yield [null, "[DONE]"];
}

function message(text: string): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const content = [{ type: "text", text }];
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "big",
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage,
  };
}

function candidate(text: string): object {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    usageMetadata,
  };
}

function* messageEvents(output: string): Iterable<[string | null, object | string]> {
  const empty = { ...message(""), content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } };
  yield ["message_start", { type: "message_start", message: empty }];
  yield ["content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }];
  yield ["content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } }];
  if (output in EVENTS) {
    const [text, inside] = largeEvent(output);
    const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
    yield ["content_block_delta", within(delta, inside)];
  }
  yield ["content_block_stop", { type: "content_block_stop", index: 0 }];
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  yield ["message_delta", { type: "message_delta", delta, usage: { output_tokens: 5 } }];
  yield ["message_stop", { type: "message_stop" }];
}

function response(text: string): object {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  const output = [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }];
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, ...details };
  return { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "big", output, usage };
}

function* responseEvents(output: string): Iterable<[string | null, object | string]> {
  const done = response("ok") as { output: { content: object[] }[] };
  const item = done.output[0] as { content: object[] };
  const part = item.content[0] as object;
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const events: object[] = [
    { type: "response.created", response: { ...done, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: "ok", logprobs: [] },
    { type: "response.output_text.done", ...place, text: "ok", logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: done },
  ];
  for (const [sequence_number, event] of events.entries()) {
    const { type } = event as { type: string };
    const numbered = { ...event, sequence_number };
    const is_large = type === "response.completed" && output in EVENTS;
    yield [type, is_large ? within(numbered, largeEvent(output)[1]) : numbered];
  }
}

/** Streams with a large event: a text of one line, or as many small values as an event may have. */
const EVENTS: Readonly<Record<string, readonly [text: string, inside: string]>> = {
  delta: ["a".repeat(2 ** 20 - 1000), ""],
  values: ["ok", new Array(4).fill("[],".repeat(2 ** 20 / 3 - 500)).join("\ndata: ")],
  numbers: ["ok", new Array(4).fill("1,".repeat(2 ** 19 - 500)).join("\ndata: ")],
  members: ["ok", new Array(4).fill('{"a":1},'.repeat(2 ** 17 - 500)).join("\ndata: ")],
};

function largeEvent(output: string): readonly [text: string, inside: string] {
  return EVENTS[output] ?? ["", ""];
}

/** An event's data with values in a member that nobody knows. */
function within(data: object, inside: string): string {
  const text = JSON.stringify(data);
  return inside === "" ? text : `${text.slice(0, -1)},"x":[${inside}0]}`;
}

function json(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

function sse(events: Iterable<[string | null, object | string]>): Response {
  let text = "";
  for (const [name, data] of events)
    text += `${name === null ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
