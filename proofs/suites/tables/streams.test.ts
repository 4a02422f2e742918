import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Answer,
  Caller,
  eventsOf,
  GENERATION_NAMES,
  type GenerationName,
  type Json,
  type StreamEvent,
} from "../../support/calls.ts";
import { quoted, sectionOf, tableRows } from "../../support/documented-errors.ts";
import { type SimulatedGateway, startSimulatedGateway, THINKING } from "../../support/simulated-gateway.ts";

/** docs/api.md 6: a stream's events, their order, and its end. */

let simulated: SimulatedGateway;
let caller: Caller;

const TERMINAL_FAULTS = ["error-mid", "cut-mid", "end-mid"];
const FAILED_BEFORE = {
  "error-first": 502,
  overloaded: 503,
  "empty-200": 502,
  "html-200": 502,
  "cut-before-content": 502,
  "huge-line": 502,
};
const FRAMINGS = ["crlf", "cr", "comments", "bom", "chunks-1", "chunks-7", "one-chunk"];
const UPSTREAM: Record<string, string> = {
  "error-first": "error-first@status=500",
  "error-mid": "error-mid@status=500",
  overloaded: "error-first@status=529",
  failed: "error-mid@form=failed",
};
const MESSAGES_FIELDS = { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } };
const SCHEMA = { type: "object", properties: { city: { enum: ["Paris"] } }, required: ["city"] };

beforeAll(async () => {
  const others = ["echo", "tools", "cached", "long", "filter", "no-usage", "no-done", "failed"];
  const ids = [...others, ...TERMINAL_FAULTS, ...FRAMINGS, ...Object.keys(FAILED_BEFORE)];
  simulated = await startSimulatedGateway({
    models: {
      ...Object.fromEntries(ids.map((id) => [`acme/${id}`, { upstream_model: UPSTREAM[id] ?? id }])),
      "acme/everything": THINKING,
    },
  });
  caller = new Caller(simulated.gateway, (await simulated.gateway.newKey()).key);
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

async function stream(
  name: GenerationName,
  model: string,
  more: Json = {},
): Promise<Answer & { events: StreamEvent[] }> {
  const answer = await caller.generate(name, model, { ...more, stream: true });
  return { ...answer, events: answer.status === 200 ? eventsOf(answer.text) : [] };
}

const types = (events: readonly StreamEvent[]) => events.map(({ data }) => data.type);
/** The types of the events without repetitions. */
const course = (events: readonly StreamEvent[]) => types(events).filter((type, at, all) => type !== all[at - 1]);

describe("every stream", () => {
  test.each(GENERATION_NAMES)("%s is text/event-stream, with the headers of an answer", async (name) => {
    const { headers, status, text } = await stream(name, "acme/echo");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect(text).toEndWith("\n\n");
  });

  test.each(
    GENERATION_NAMES.flatMap((name) => Object.entries(FAILED_BEFORE).map(([id, status]) => [name, id, status])),
  )("%s: %s fails before any content, so its status is %d", async (name, id, status) => {
    const answer = await stream(name as GenerationName, `acme/${id}`);
    expect(answer.status).toBe(status as number);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const [type_a, type_b] = status === 502 ? ["provider_error", "api_error"] : ["api_error", "overloaded_error"];
    expect(answer.error.type).toBe(name === "messages" ? type_b : type_a);
    const { json } = await caller.get(`/v1/requests/${answer.headers.get("x-camino-request-id")}`);
    expect(json).toMatchObject({ status: "voided", charge_micro: 0 });
  });

  test.each(["chat", "messages"] as const)("%s: is whole without the vendor's last marker", async (name) => {
    const [odd, plain] = await Promise.all([stream(name, "acme/no-done"), stream(name, "acme/echo")]);
    expect(course(odd.events)).toEqual(course(plain.events));
    expect(odd.text.endsWith("data: [DONE]\n\n")).toBe(name === "chat");
  });

  test("responses: is not whole without the vendor's last event", async () => {
    expect((await stream("responses", "acme/no-done")).events.at(-1)?.data.type).toBe("response.failed");
  });

  test.each(GENERATION_NAMES.flatMap((name) => FRAMINGS.map((id) => [name, id] as const)))(
    "%s: however the vendor frames it (%s), the client gets the same events",
    async (name, id) => {
      const [odd, plain] = await Promise.all([stream(name, `acme/${id}`), stream(name, "acme/echo")]);
      expect(odd.status).toBe(200);
      expect(textOf(odd.events)).toBe("Simulated answer: Hello!");
      expect(course(odd.events)).toEqual(course(plain.events));
      expect(odd.text.endsWith("data: [DONE]\n\n")).toBe(name === "chat");
    },
  );

  function textOf(events: readonly StreamEvent[]): string {
    return events
      .map(({ data }) => {
        const [choice] = (data.choices ?? []) as { delta: { content?: string } }[];
        if (choice !== undefined) return choice.delta.content ?? "";
        const { delta } = data as { delta?: string | { text?: string } };
        return (typeof delta === "string" ? delta : delta?.text) ?? "";
      })
      .join("");
  }
});

describe("6.1 chat completions stream", () => {
  const tool = (name: string) => ({ type: "function", function: { name, parameters: SCHEMA } });

  test("has data lines only, and ends with [DONE]", async () => {
    const { text } = await stream("chat", "acme/echo");
    expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("data: "))).toEqual([]);
    expect(text).toEndWith("data: [DONE]\n\n");
  });

  test("is chunks of one completion: the role, the content, the reason", async () => {
    const { events } = await stream("chat", "acme/echo");
    for (const { data } of events) {
      expect(Object.keys(data)).toEqual(expect.arrayContaining(["id", "object", "created", "model", "choices"]));
      expect(data).toMatchObject({ object: "chat.completion.chunk", model: "acme/echo", id: events[0]?.data.id });
    }
    const choices = events.flatMap(({ data }) => data.choices as { delta: Json; finish_reason: string | null }[]);
    expect(choices[0]?.delta).toMatchObject({ role: "assistant" });
    expect(choices.slice(1).some(({ delta }) => "role" in delta)).toBeFalse();
    expect(choices.slice(0, -1).map(({ finish_reason }) => finish_reason)).toEqual(
      choices.slice(0, -1).map(() => null),
    );
    expect(choices.at(-1)).toMatchObject({ delta: {}, finish_reason: "stop" });
    expect(choices.at(-1)?.delta).toEqual({});
  });

  test("has a chunk with the usage and no choices exactly where it was asked for", async () => {
    const { events } = await stream("chat", "acme/cached", { stream_options: { include_usage: true } });
    expect(events.at(-1)?.data).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(events.slice(0, -1).every(({ data }) => (data.usage ?? null) === null)).toBeTrue();
    for (const more of [{}, { stream_options: { include_usage: false } }]) {
      const without = await stream("chat", "acme/cached", more);
      expect(without.events.filter(({ data }) => "usage" in data || (data.choices as []).length === 0)).toEqual([]);
    }
  });

  test("has an estimated usage of the gateway's where the vendor sent none", async () => {
    const { events, headers } = await stream("chat", "acme/no-usage", { stream_options: { include_usage: true } });
    const { json } = await caller.get(`/v1/requests/${headers.get("x-camino-request-id")}`);
    expect(json).toMatchObject({ estimated: true, status: "settled" });
    const { input_tokens = 0, output_tokens = 0 } = (json.usage ?? {}) as Record<string, number>;
    expect(events.at(-1)?.data).toMatchObject({
      choices: [],
      usage: { prompt_tokens: input_tokens, completion_tokens: output_tokens },
    });
  });

  test("names each tool call once, by its index", async () => {
    const { events } = await stream("chat", "acme/tools", { tools: [tool("f"), tool("g")] });
    const deltas = events.flatMap(({ data }) =>
      (data.choices as { delta: { tool_calls?: Json[] } }[]).flatMap(({ delta }) => delta.tool_calls ?? []),
    );
    for (const [index, name] of ["f", "g"].entries()) {
      const [first, ...rest] = deltas.filter((delta) => delta.index === index);
      expect(first).toMatchObject({ id: expect.any(String), type: "function", function: { name } });
      expect(rest.filter((delta) => "id" in delta || "type" in delta)).toEqual([]);
      const pieces = [first, ...rest].map((delta) => ((delta?.function ?? {}) as Json).arguments ?? "");
      expect(pieces.join("")).toBe('{"city":"Paris"}');
    }
    expect(events.at(-1)?.data.choices).toMatchObject([{ finish_reason: "tool_calls" }]);
  });

  test.each(TERMINAL_FAULTS)("%s after content: an error, and no [DONE]", async (id) => {
    const { status, events, text } = await stream("chat", `acme/${id}`);
    expect(status).toBe(200);
    expect(events.at(-1)?.data).toEqual({
      error: { message: expect.any(String), type: "provider_error", param: null, code: "provider_error" },
    });
    expect(text).not.toContain("[DONE]");
  });
});

/** The names in a table of events. */
function documentedEvents(section: string): string[] {
  const text = sectionOf(new RegExp(`^### ${section.replace(".", "\\.")} `, "m"));
  return tableRows(text).flatMap(([cell = ""]) => quoted(cell));
}

describe("6.2 responses stream", () => {
  const everything = { reasoning: { effort: "low", summary: "auto" }, tools: [{ type: "function", name: "f" }] };

  test("names every event as its data does, and counts from 0 without gaps", async () => {
    for (const [model, more] of [
      ["acme/echo", {}],
      ["acme/everything", everything],
      ["acme/long", { max_output_tokens: 20 }],
      ["acme/error-mid", {}],
    ] as const) {
      const { events } = await stream("responses", model, more);
      expect(events.map(({ event }) => event as unknown)).toEqual(types(events));
      expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, index) => index));
    }
  });

  test("has the document's events, and no others", async () => {
    const { events } = await stream("responses", "acme/everything", everything);
    const cut = await stream("responses", "acme/long", { max_output_tokens: 20 });
    const failed = await stream("responses", "acme/failed");
    const seen = new Set([...types(events), ...types(cut.events), ...types(failed.events)]);
    const documented = new Set(documentedEvents("6.2"));
    expect([...documented].filter((type) => !seen.has(type))).toEqual([]);
    // The table's dots stand for the rest of a reasoning summary.
    const dots = ["response.reasoning_summary_text.done", "response.reasoning_summary_part.done"];
    expect([...seen].filter((type) => !documented.has(String(type))).sort()).toEqual(dots.sort());
  });

  test("has the whole life of an answer, items one after the other, each with a stable id", async () => {
    const { events } = await stream("responses", "acme/everything", everything);
    expect(course(events).slice(0, 3)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
    ]);
    let open: Json | null = null;
    const done: Json[] = [];
    for (const { data } of events) {
      const { type, item, item_id } = data as { type: string; item?: Json; item_id?: string };
      if (type === "response.output_item.added") {
        expect(open).toBeNull();
        open = item ?? null;
      } else if (type === "response.output_item.done") {
        expect(item?.id).toBe(open?.id);
        if (item !== undefined) done.push(item);
        open = null;
      } else if (item_id !== undefined) expect(item_id).toBe(String(open?.id));
    }
    const last = events.at(-1)?.data;
    expect(last).toMatchObject({ type: "response.completed", response: { status: "completed" } });
    expect(last?.response).toHaveProperty("output", done);
    expect(done.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test.each([
    ["acme/echo", {}, "completed", null],
    ["acme/long", { max_output_tokens: 20 }, "incomplete", { reason: "max_output_tokens" }],
    ["acme/filter", {}, "incomplete", { reason: "content_filter" }],
  ])("%s ends once, with its usage", async (model, more, status, incomplete_details) => {
    const { events } = await stream("responses", model, more);
    const ends = events.filter(({ data }) => /^response\.(completed|incomplete|failed)$/.test(String(data.type)));
    expect(ends).toHaveLength(1);
    expect(events.at(-1)).toBe(ends[0] as StreamEvent);
    const usage = { total_tokens: expect.any(Number) };
    expect(ends[0]?.data).toMatchObject({
      type: `response.${status}`,
      response: { status, incomplete_details, model, usage },
    });
  });

  test.each([...TERMINAL_FAULTS, "failed"])("%s after content ends with response.failed", async (id) => {
    const { status, events } = await stream("responses", `acme/${id}`);
    expect(status).toBe(200);
    expect(events.at(-1)?.data).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: expect.any(String), message: expect.any(String) } },
    });
    expect(types(events)).not.toContain("response.completed");
    expect(types(events)).not.toContain("error");
  });
});

describe("6.3 messages stream", () => {
  const tool = (name: string) => ({ name, input_schema: SCHEMA });
  const everything = { ...MESSAGES_FIELDS, tools: [tool("f"), tool("g")] };

  test("names every event as its data does", async () => {
    for (const [model, more] of [
      ["acme/everything", everything],
      ["acme/error-mid", {}],
    ] as const) {
      const { events } = await stream("messages", model, more);
      expect(events.map(({ event }) => event as unknown)).toEqual(types(events));
    }
  });

  test("has the document's events, and no others but pings", async () => {
    const { events } = await stream("messages", "acme/everything", everything);
    const seen = new Set(types(events).filter((type) => type !== "ping"));
    const order = tableRows(sectionOf(/^### 6\.3 /m))
      .slice(1)
      .map(([cell = ""]) => quoted(cell)[0] ?? "");
    expect([...seen] as string[]).toEqual(order);
    const deltas = new Set(
      events.flatMap(({ data }) => (data.type === "content_block_delta" ? [data.delta] : [])) as Json[],
    );
    expect(new Set([...deltas].map(({ type }) => type))).toEqual(
      new Set(["thinking_delta", "signature_delta", "text_delta", "input_json_delta"]),
    );
  });

  test("has blocks one after the other, and the stop reason that follows from them", async () => {
    const { events } = await stream("messages", "acme/everything", everything);
    let open: unknown = null;
    let blocks = 0;
    for (const { data } of events) {
      if (data.type === "content_block_start") {
        expect({ open, index: data.index }).toEqual({ open: null, index: blocks });
        open = data.index;
        blocks += 1;
      } else if (data.type === "content_block_delta") expect(data.index).toBe(open);
      else if (data.type === "content_block_stop") open = null;
    }
    expect(blocks).toBe(4);
    expect(events.at(-2)?.data).toMatchObject({ type: "message_delta", delta: { stop_reason: "tool_use" } });
    expect(events.at(-1)?.data).toMatchObject({ type: "message_stop" });
  });

  test("begins with an estimate of the input and ends with the exact usage, cache classes included", async () => {
    const messages = [{ role: "user", content: "x".repeat(40) }];
    const { events } = await stream("messages", "acme/cached", { messages });
    const usage = { input_tokens: expect.any(Number) };
    expect(events[0]?.data.message).toMatchObject({ content: [], stop_reason: null, usage });
    expect(events.at(-2)?.data.usage).toMatchObject({
      input_tokens: 3,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 2,
      output_tokens: 15,
    });
  });

  test.each(TERMINAL_FAULTS)("%s after content: an error event, and nothing after it", async (id) => {
    const { status, events, headers } = await stream("messages", `acme/${id}`);
    expect(status).toBe(200);
    expect(events.at(-1)?.data).toEqual({
      type: "error",
      error: { type: "api_error", message: expect.any(String) },
      request_id: headers.get("x-request-id") ?? "",
    });
    expect(types(events)).not.toContain("message_stop");
  });
});
