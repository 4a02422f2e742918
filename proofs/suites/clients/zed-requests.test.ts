import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/**
 * What Zed sends, and what it needs of an answer, as its public sources have them (crates `open_ai`, `anthropic` and `language_models`, of November
 * 2026): chat completions or responses as `openai_compatible`, messages as `anthropic_compatible` (docs/clients.md). Zed itself needs a screen.
 */

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

const SAID = "Go on until it is done.";
const RESULT = "all of it done";
const ANSWER = "Simulated answer from tool results: all of it done";
const THREAD = "0f0e4c1e-6f1e-4f0a-9d5b-6a6a4f1c2b3d";
const TOOL = {
  name: "terminal",
  description: "Runs a command.",
  schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

type Json = Readonly<Record<string, unknown>>;
interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}
interface Heard {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly ended: string;
}

/** One of Zed's ways to speak. `said`: earlier calls of the tool, each of which has its result. */
interface Way {
  readonly path: string;
  headers(key: string): Record<string, string>;
  body(model: string, said: readonly Call[]): object;
  /** Puts the events together as Zed does. Throws where Zed's reader would not read one. */
  read(events: readonly Json[]): Heard;
}

/** Throws where a field is missing that Zed's reader requires. */
function require(event: Json, ...fields: readonly string[]): void {
  for (const path of fields) {
    const found = path.split(".").reduce<unknown>((value, name) => (value as Json | undefined)?.[name], event);
    if (found === undefined) throw new Error(`Zed reads no ${JSON.stringify(event)}: it has no ${path}`);
  }
}

const bearer = (key: string) => ({ "content-type": "application/json", authorization: `Bearer ${key}` });

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason?: string | null;
  }[];
}

const CHAT: Way = {
  path: "/v1/chat/completions",
  headers: bearer,
  body: (model, said) => ({
    model,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: SAID },
      ...said.flatMap(({ id, name, input }) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name, arguments: input } }],
        },
        { role: "tool", content: RESULT, tool_call_id: id },
      ]),
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 1.0,
    parallel_tool_calls: true,
    tools: [
      { type: "function", function: { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema } },
    ],
    prompt_cache_key: THREAD,
  }),
  read: (events) => {
    const calls: { id: string; name: string; input: string }[] = [];
    let [text, ended] = ["", ""];
    for (const event of events) {
      require(event, "choices");
      if (event.usage) require(event, "usage.prompt_tokens", "usage.completion_tokens", "usage.total_tokens");
      for (const choice of (event as unknown as Chunk).choices) {
        text += choice.delta.content ?? "";
        ended = choice.finish_reason ?? ended;
        for (const part of choice.delta.tool_calls ?? []) {
          const call = calls[part.index] ?? { id: "", name: "", input: "" };
          calls[part.index] = call;
          call.id += part.id ?? "";
          call.name += part.function?.name ?? "";
          call.input += part.function?.arguments ?? "";
        }
      }
    }
    if (!events.some(({ usage }) => usage)) throw new Error("no usage");
    return { text, calls, ended };
  },
};

/** The fields that Zed requires of each event of responses that it knows; it passes over others. */
const OF_RESPONSES: Readonly<Record<string, readonly string[]>> = {
  "response.created": ["response"],
  "response.in_progress": ["response"],
  "response.output_item.added": ["output_index", "item.type"],
  "response.output_item.done": ["output_index", "item.type"],
  "response.content_part.added": ["item_id", "output_index", "content_index", "part"],
  "response.content_part.done": ["item_id", "output_index", "content_index", "part"],
  "response.output_text.delta": ["item_id", "output_index", "delta"],
  "response.output_text.done": ["item_id", "output_index", "text"],
  "response.reasoning_summary_part.added": ["item_id", "output_index", "summary_index"],
  "response.reasoning_summary_text.delta": ["item_id", "output_index", "delta"],
  "response.function_call_arguments.delta": ["item_id", "output_index", "delta"],
  "response.function_call_arguments.done": ["item_id", "output_index", "arguments"],
  "response.completed": ["response.status", "response.usage.input_tokens", "response.usage.output_tokens"],
};

const RESPONSES: Way = {
  path: "/v1/responses",
  headers: bearer,
  body: (model, said) => ({
    model,
    input: [
      { type: "message", role: "system", content: [{ type: "input_text", text: "Be brief." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: SAID }] },
      ...said.flatMap(({ id, name, input }) => [
        { type: "function_call", call_id: id, name, arguments: input },
        { type: "function_call_output", call_id: id, output: RESULT },
      ]),
    ],
    store: false,
    include: ["reasoning.encrypted_content"],
    stream: true,
    temperature: 1.0,
    parallel_tool_calls: true,
    tools: [{ type: "function", name: TOOL.name, description: TOOL.description, parameters: TOOL.schema }],
    prompt_cache_key: THREAD,
    reasoning: { effort: "medium", summary: "auto" },
  }),
  read: (events) => {
    for (const event of events) require(event, "type", ...(OF_RESPONSES[String(event.type)] ?? []));
    const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item as Json] : []));
    const calls = items
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ id: String(item.call_id), name: String(item.name), input: String(item.arguments) }));
    const deltas = events.filter(({ type }) => type === "response.output_text.delta");
    const last = events.at(-1)?.type === "response.completed" ? "completed" : "";
    return { text: deltas.map(({ delta }) => delta).join(""), calls, ended: last };
  },
};

/** The fields that Zed requires of each event of messages. It reads no event of another type. */
const OF_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  message_start: ["message.id", "message.type", "message.role", "message.content", "message.model", "message.usage"],
  content_block_start: ["index", "content_block.type"],
  content_block_delta: ["index", "delta.type"],
  content_block_stop: ["index"],
  message_delta: ["delta", "usage"],
  message_stop: [],
  ping: [],
};
const OF_BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["content_block.text"],
  thinking: ["content_block.thinking"],
  redacted_thinking: ["content_block.data"],
  tool_use: ["content_block.id", "content_block.name", "content_block.input"],
};
const OF_DELTAS: Readonly<Record<string, readonly string[]>> = {
  text_delta: ["delta.text"],
  thinking_delta: ["delta.thinking"],
  signature_delta: ["delta.signature"],
  input_json_delta: ["delta.partial_json"],
};

function known(table: Readonly<Record<string, readonly string[]>>, type: unknown): readonly string[] {
  const fields = table[String(type)];
  if (fields === undefined) throw new Error(`Zed knows no ${String(type)}`);
  return fields;
}

const ONE_HOUR = { type: "ephemeral", ttl: "1h" };

const MESSAGES: Way = {
  path: "/v1/messages",
  headers: (key) => ({ "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": key }),
  body: (model, said) => ({
    model,
    max_tokens: 4096,
    messages: [
      { role: "user", content: [{ type: "text", text: SAID }] },
      ...said.flatMap(({ id, name, input }) => [
        { role: "assistant", content: [{ type: "tool_use", id, name, input: JSON.parse(input) }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, is_error: false, content: RESULT }] },
      ]),
    ],
    tools: [
      {
        ...{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.schema },
        ...{ eager_input_streaming: true, cache_control: ONE_HOUR },
      },
    ],
    system: [{ type: "text", text: "Be brief.", cache_control: ONE_HOUR }],
    cache_control: { type: "ephemeral" },
    temperature: 1.0,
    stream: true,
  }),
  read: (events) => {
    const calls: { id: string; name: string; input: string }[] = [];
    const by_index = new Map<unknown, { id: string; name: string; input: string }>();
    let [text, ended] = ["", ""];
    for (const event of events) {
      require(event, ...known(OF_MESSAGES, event.type));
      const { content_block, delta } = event as { content_block?: Json; delta?: Json };
      if (event.type === "content_block_start") {
        require(event, ...known(OF_BLOCKS, content_block?.type));
        if (content_block?.type !== "tool_use") continue;
        const call = { id: String(content_block.id), name: String(content_block.name), input: "" };
        by_index.set(event.index, call);
        calls.push(call);
      } else if (event.type === "content_block_delta") {
        require(event, ...known(OF_DELTAS, delta?.type));
        if (delta?.type === "text_delta") text += String(delta.text);
        const call = by_index.get(event.index);
        if (call !== undefined && delta?.type === "input_json_delta") call.input += String(delta.partial_json);
      } else if (event.type === "message_delta") ended = String(delta?.stop_reason);
    }
    if (events.at(-1)?.type !== "message_stop") throw new Error("no message_stop");
    return { text, calls, ended };
  },
};

async function ask({ path, headers, body, read }: Way, model: string, said: readonly Call[] = []): Promise<Heard> {
  const answer = await fetch(five.gateway.url + path, {
    ...{ method: "POST", headers: headers(five.key), body: JSON.stringify(body(model, said)) },
  });
  const whole = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${whole}`);
  // Line by line, as Zed reads: whatever does not begin so is passed over.
  const lines = whole.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  return read(lines.filter((line) => line !== "[DONE]").map((line): Json => JSON.parse(line)));
}

const WAYS = [
  ["chat completions", CHAT, ["tool_calls", "stop"]],
  ["responses", RESPONSES, ["completed", "completed"]],
  ["messages", MESSAGES, ["tool_use", "end_turn"]],
] as const;

describe.each(WAYS)("Zed's agent by %s", (_name, way, [first_end, last_end]) => {
  test.each([...PROTOCOLS])("on %s calls a tool, hears of its result, and answers", async (vendor) => {
    const first = await ask(way, `${vendor}/tools`);
    expect(first.ended).toBe(first_end);
    expect(first.calls).toHaveLength(1);
    const [call] = first.calls as [Call];
    expect(call.name).toBe(TOOL.name);
    expect(call.id).not.toBe("");
    expect(JSON.parse(call.input)).toBeObject();
    expect(await ask(way, `${vendor}/tools`, [call])).toEqual({ text: ANSWER, calls: [], ended: last_end });
  });
});

test("a refusal has the message that Zed shows", async () => {
  for (const [, { path, headers, body }] of WAYS) {
    const given = { method: "POST", headers: headers("cm-nobody"), body: JSON.stringify(body("x/y", [])) };
    const answer = await fetch(five.gateway.url + path, given);
    expect(answer.status).toBe(401);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).not.toBe("");
  }
});
