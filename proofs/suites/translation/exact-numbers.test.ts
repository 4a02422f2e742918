import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { event as eventMessage } from "../../../simulator/protocols/bedrock-converse/event-message.ts";
import type { Exchange, Target } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { targetFor } from "../../support/target.ts";
import { eventsOf, type Json } from "../failures/support/styles.ts";

/**
 * docs/rulings.md 193: what passes as JSON inside an answer or a request keeps its numbers digit by digit, from every client's protocol to
 * every vendor's and back, whole and streamed.
 */

const CLIENTS = ["chat-completions", "responses", "messages"] as const;
const VENDORS = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"] as const;
type Client = (typeof CLIENTS)[number];
type Vendor = (typeof VENDORS)[number];

const RUNS = 150;
const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
/** Numbers as JSON may have them. */
const anyNumber = fc
  .tuple(
    fc.constantFrom("", "-"),
    digits(26).map((text) => text.replace(/^0+(?=.)/, "")),
    fc.option(digits(26), { nil: null }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "E-", "e-"), digits(3)), { nil: null }),
  )
  .map(
    ([sign, whole, decimals, exponent]) =>
      sign + whole + (decimals === null ? "" : `.${decimals}`) + (exponent?.join("") ?? ""),
  );
const aNumber = fc.oneof(
  fc.constantFrom("1234567890123456789", "9223372036854775807", "1.0", "-0", "-0.0", "1e400", "1E5", "0.1000", "0"),
  anyNumber,
);
/** Arguments of a call: numbers at all depths, beside text that looks like some. */
const anyArguments = fc
  .tuple(aNumber, aNumber, aNumber, fc.constantFrom("", "1.0, -0, 1e400", 'é"\\,1e5]'))
  .map(([a, b, c, text]) => `{"id":${a},"list":[${b},{"input":${c},"args":null}],"text":${JSON.stringify(text)}}`);

function targetOf(protocol: Vendor): Target {
  return targetFor(protocol as Protocol, { upstream_model: protocol === "bedrock-converse" ? "anthropic.m" : "m" });
}

function prepare(client: Client, vendor: Vendor, body: string): Exchange {
  const { "chat.completions": chat, ...others } = clientProtocols;
  const adapter = adapterBetween(client, vendor);
  if (adapter === null) throw new Error("no way");
  const headers = new Headers({ "anthropic-version": "2023-06-01" });
  const protocol = client === "chat-completions" ? chat : others[client];
  return adapter.prepare(protocol.readRequest(body, headers), targetOf(vendor), headers);
}

const ASKED: Readonly<Record<Client, string>> = {
  "chat-completions": '{"model":"m","messages":[{"role":"user","content":"Hi"}]',
  responses: '{"model":"m","input":"Hi"',
  messages: '{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]',
};
const tools = (client: Client, schema: string) =>
  ({
    "chat-completions": `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`,
    responses: `[{"type":"function","name":"f","parameters":${schema},"strict":false}]`,
    messages: `[{"name":"f","input_schema":${schema}}]`,
  })[client];

/** A conversation in which the model has called a tool. */
function history(client: Client, args: string): string {
  const text = JSON.stringify(args);
  switch (client) {
    case "chat-completions":
      return `{"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call00001","type":"function","function":{"name":"f","arguments":${text}}}]},{"role":"tool","tool_call_id":"call00001","content":"ok"}]`;
    case "responses":
      return `{"model":"m","input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"call00001","name":"f","arguments":${text}},{"type":"function_call_output","call_id":"call00001","output":"ok"}]`;
    case "messages":
      return `{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"call00001","name":"f","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call00001","content":"ok"}]}]`;
  }
}

function sentBy({ body, parts }: Exchange): string {
  return bytesOf(parts ?? [body]).toString();
}

const isText = (vendor: Vendor) => vendor === "chat-completions" || vendor === "responses";

describe.each(CLIENTS.flatMap((client) => VENDORS.map((vendor) => ({ client, vendor }))))(
  "a request of $client to a vendor of $vendor",
  ({ client, vendor }) => {
    test("keeps the numbers of its history's calls", () => {
      fc.assert(
        fc.property(anyArguments, (args) => {
          const tool = tools(client, '{"type":"object","properties":{}}');
          const sent = sentBy(prepare(client, vendor, `${history(client, args)},"tools":${tool}}`));
          expect(sent).toContain(isText(vendor) ? JSON.stringify(args) : args);
        }),
        { numRuns: RUNS },
      );
    });

    test("keeps the numbers of its tools' schemas", () => {
      fc.assert(
        fc.property(aNumber, aNumber, (most, other) => {
          const bounds = `"n":{"type":"number","maximum":${most},"default":${other}}`;
          const tool = tools(client, `{"type":"object","properties":{${bounds}}}`);
          const sent = sentBy(prepare(client, vendor, `${ASKED[client]},"tools":${tool}}`));
          expect(sent).toContain(`"maximum":${most},"default":${other}}`);
        }),
        { numRuns: RUNS },
      );
    });
  },
);

/** A format whose schema is told of, or sent, with a number in it. */
const formats = (client: Client, schema: string) =>
  ({
    "chat-completions": `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema},"strict":true}}`,
    responses: `"text":{"format":{"type":"json_schema","name":"n","schema":${schema},"strict":true}}`,
    messages: `"output_config":{"effort":"low","format":{"type":"json_schema","schema":${schema}}}`,
  })[client];

test.each(CLIENTS.flatMap((client) => VENDORS.map((vendor) => [client, vendor] as const)))(
  "a request of %s to a vendor of %s keeps the numbers of its answer's schema",
  (client, vendor) => {
    fc.assert(
      fc.property(aNumber, (number) => {
        const schema = `{"type":"object","properties":{"n":{"type":"number","maximum":${number}}},"required":["n"],"additionalProperties":false}`;
        const sent = sentBy(prepare(client, vendor, `${ASKED[client]},${formats(client, schema)}}`));
        expect(/"?maximum"?: ?([^,}]+)/.exec(sent)?.[1]).toBe(number);
      }),
      { numRuns: RUNS },
    );
  },
);

/** A vendor's whole answer with one call. */
const WHOLE: Readonly<Record<Vendor, (args: string) => string>> = {
  "chat-completions": (args) =>
    `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`,
  responses: (args) =>
    `{"id":"r","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"function_call","id":"fc_1","call_id":"t1","name":"f","arguments":${JSON.stringify(args)},"status":"completed"}],"usage":{"input_tokens":20,"output_tokens":5,"total_tokens":25}}`,
  messages: (args) =>
    `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"f","input":${args}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":20.0,"output_tokens":5}}`,
  gemini: (args) =>
    `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":20.0,"candidatesTokenCount":5,"totalTokenCount":25}}`,
  "bedrock-converse": (args) =>
    `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f","input":${args}}}]}},"stopReason":"tool_use","usage":{"inputTokens":20.0,"outputTokens":5,"totalTokens":25}}`,
};

const named = (events: readonly string[]) =>
  events.map((event) => `event: ${/"type":"([^"]+)"/.exec(event)?.[1]}\ndata: ${event}\n\n`).join("");

function messagesStream(start: string, deltas: readonly string[]): string {
  const delta = (text: string) =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(text)}}}`;
  return named([
    '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":20,"output_tokens":1}}}',
    `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"f","input":${start}}}`,
    ...deltas.map(delta),
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}',
    '{"type":"message_stop"}',
  ]);
}

/** A vendor's streams with one call. */
const STREAMS: readonly {
  readonly vendor: Vendor;
  readonly form: string;
  readonly bytes: (args: string) => Uint8Array;
}[] = [
  {
    vendor: "chat-completions",
    form: "in one delta",
    bytes: (args) => {
      const chunk = (delta: string, reason = "null") =>
        `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}\n\n`;
      const call = `{"role":"assistant","tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}`;
      return Buffer.from(`${chunk(call)}${chunk("{}", '"tool_calls"')}data: [DONE]\n\n`);
    },
  },
  {
    vendor: "responses",
    form: "in one delta",
    bytes: (args) => {
      const item = (text: string) =>
        `{"type":"function_call","id":"fc_1","call_id":"t1","name":"f","arguments":${text},"status":"completed"}`;
      const text = JSON.stringify(args);
      return Buffer.from(
        named([
          `{"type":"response.output_item.added","output_index":0,"item":${item('""')}}`,
          `{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":${text}}`,
          `{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":0,"arguments":${text}}`,
          `{"type":"response.output_item.done","output_index":0,"item":${item(text)}}`,
          `{"type":"response.completed","response":${WHOLE.responses(args)}}`,
        ]),
      );
    },
  },
  {
    vendor: "messages",
    form: "in deltas",
    bytes: (args) => Buffer.from(messagesStream("{}", [args.slice(0, 9), args.slice(9)])),
  },
  { vendor: "messages", form: "at its start", bytes: (args) => Buffer.from(messagesStream(args, [])) },
  { vendor: "messages", form: "as a whole message", bytes: (args) => Buffer.from(`${WHOLE.messages(args)}\n\n`) },
  { vendor: "gemini", form: "in one event", bytes: (args) => Buffer.from(`data: ${WHOLE.gemini(args)}\n\n`) },
  {
    vendor: "bedrock-converse",
    form: "in deltas",
    bytes: (args) =>
      Buffer.concat([
        eventMessage("messageStart", JSON.stringify({ role: "assistant" })),
        eventMessage(
          "contentBlockStart",
          JSON.stringify({ contentBlockIndex: 0, start: { toolUse: { toolUseId: "t1", name: "f" } } }),
        ),
        eventMessage(
          "contentBlockDelta",
          JSON.stringify({ contentBlockIndex: 0, delta: { toolUse: { input: args } } }),
        ),
        eventMessage("contentBlockStop", JSON.stringify({ contentBlockIndex: 0 })),
        eventMessage("messageStop", JSON.stringify({ stopReason: "tool_use" })),
        eventMessage("metadata", JSON.stringify({ usage: { inputTokens: 20, outputTokens: 5, totalTokens: 25 } })),
      ]),
  },
];

/** The arguments that a client reads from the events of its stream. */
function streamedArguments(client: Client, text: string): string {
  return eventsOf(text)
    .map((event) => (event === "[DONE]" ? "" : argumentsIn(client, event)))
    .join("");
}

function argumentsIn(client: Client, event: Json): string {
  if (client === "responses") return event.type === "response.function_call_arguments.delta" ? String(event.delta) : "";
  if (client === "messages") {
    const { delta } = event;
    return isObject(delta) && typeof delta.partial_json === "string" ? delta.partial_json : "";
  }
  const calls = (event.choices as { delta: { tool_calls?: { function?: { arguments?: string } }[] } }[]).flatMap(
    ({ delta }) => delta.tool_calls ?? [],
  );
  return calls.map((call) => call.function?.arguments ?? "").join("");
}

describe.each(CLIENTS)("an answer to a client of %s", (client) => {
  test.each(VENDORS)("keeps the numbers of a call, whole, from a vendor of %s, and its usage is read", (vendor) => {
    fc.assert(
      fc.property(anyArguments, (args) => {
        const exchange = prepare(client, vendor, `${ASKED[client]}}`);
        const answer = exchange.readWhole(Buffer.from(WHOLE[vendor](args)));
        const shown = bytesOf(answer.body).toString();
        expect(shown).toContain(client === "messages" ? `"input":${args}` : `"arguments":${JSON.stringify(args)}`);
        expect(answer.usage).toMatchObject({ input_tokens: 20, output_tokens: 5 });
      }),
      { numRuns: RUNS },
    );
  });

  test.each(STREAMS)("keeps the numbers of a call, streamed $form, from a vendor of $vendor", ({ vendor, bytes }) => {
    fc.assert(
      fc.property(anyArguments, (args) => {
        const stream = prepare(client, vendor, `${ASKED[client].replace("{", '{"stream":true,')}}`).openStream();
        const shown = Buffer.concat([stream.push(Buffer.from(bytes(args))), stream.end(), stream.finish()]).toString();
        const is_at_start = shown.includes(`"name":"f","input":${args}`);
        expect(is_at_start ? args : streamedArguments(client, shown)).toBe(args);
      }),
      { numRuns: RUNS },
    );
  });
});
