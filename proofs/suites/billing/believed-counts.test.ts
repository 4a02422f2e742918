import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, GENERATION, type GenerationName } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";
import {
  type Json,
  type ScriptedVendor,
  startScriptedVendor,
  TELLERS,
  type Told,
} from "../../support/told-by-vendor.ts";

/** What is charged for the counts that vendors tell, over real HTTP, in relay and in translation (docs/rulings.md 144, 145). */

const PRICE = { input: "3", output: "15", cache_read: "0.3", cache_write: "3.75" };
const PRICED = { ...PRICE, cache_write_1h: "6", cache_write_12h: "9" };
const PLAIN = { context_length: 1_000_000, max_completion_tokens: 32_000, capabilities: { thinking: false } };
type Name = keyof typeof TELLERS;
const VENDORS = Object.keys(TELLERS) as Name[];
const STYLES: readonly GenerationName[] = ["chat", "responses", "messages"];
/** So large that counts of a few thousand tokens are within what a request of its size may have. */
const LONG = "word ".repeat(1500);

let vendor: ScriptedVendor;
let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  vendor = startScriptedVendor();
  const names = Object.fromEntries(
    VENDORS.map((protocol) => [protocol, { protocol, base_url: vendor.baseUrl(protocol), api_key: "k" }]),
  );
  const models = VENDORS.flatMap((name) => [
    [`${name}/m`, { ...PLAIN, price: PRICE }],
    [`${name}/priced`, { ...PLAIN, price: PRICED }],
  ]);
  gateway = await startGateway({
    config: JSON.stringify({ catalog: "none", vendors: names, models: Object.fromEntries(models) }),
  });
  caller = new Caller(gateway, (await gateway.newKey({ credit: "1000" })).key);
}, 60_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

interface Charged {
  readonly charge_micro: number;
  readonly estimated: boolean;
  readonly usage: Json;
  readonly ignored: string | null;
  readonly shown: string;
}

async function charged(
  style: GenerationName,
  model: string,
  told: Told,
  { stream = false, ...more }: Json = {},
): Promise<Charged> {
  const protocol = model.split("/")[0] as Name;
  const named = protocol === "responses" || protocol === "messages";
  vendor.answer(TELLERS[protocol][stream ? "streamed" : "whole"](told), {
    named,
    done: protocol === "chat-completions",
  });
  const include = style === "chat" && stream ? { stream_options: { include_usage: true } } : {};
  const answer = await caller.post(GENERATION[style].path, {
    ...GENERATION[style].body(model, LONG),
    stream,
    ...include,
    ...more,
  });
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  const receipt = await endedReceipt(gateway, caller.key, answer.headers.get("x-camino-request-id") ?? "");
  const { charge_micro, estimated, usage } = receipt;
  return {
    charge_micro,
    estimated,
    usage: usage ?? {},
    ignored: answer.headers.get("x-camino-ignored"),
    shown: answer.text,
  };
}

/** Counts in the words of each vendor. */
function counts(
  protocol: Name,
  { fresh, read, written, output }: Record<"fresh" | "read" | "written" | "output", number>,
): Json {
  const all = fresh + read + written;
  switch (protocol) {
    case "chat-completions":
      return {
        prompt_tokens: all,
        completion_tokens: output,
        total_tokens: all + output,
        prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
      };
    case "responses":
      return {
        input_tokens: all,
        output_tokens: output,
        total_tokens: all + output,
        input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
        output_tokens_details: { reasoning_tokens: 0 },
      };
    case "messages":
      return {
        input_tokens: fresh,
        output_tokens: output,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
      };
    case "gemini":
      return {
        promptTokenCount: all,
        cachedContentTokenCount: read,
        candidatesTokenCount: output,
        totalTokenCount: all + output,
      };
  }
}

const ways = STYLES.flatMap((style) => VENDORS.map((name) => [style, name] as const));

const nothing = { fresh: 0, read: 0, written: 0, output: 0 };

// Vendors of responses tell their usage once, at the end.
describe.each(ways.filter(([, name]) => name !== "responses"))("from %s to a vendor of %s", (style, name) => {
  const real = { fresh: 10, read: 100, written: name === "gemini" ? 0 : 50, output: 5 };
  const cost = 30 + 30 + Math.ceil(real.written * 3.75) + 75;

  test.each([
    ["zeros behind the counts", [real, nothing]],
    ["zeros before the counts", [nothing, real]],
    [
      "zeros behind the input alone",
      [
        { ...real, output: 1 },
        { ...nothing, output: 5 },
      ],
    ],
  ])("%s erase nothing", async (_, reports) => {
    const told = { text: "Hello", reports: reports.map((report) => counts(name, report)) };
    const { charge_micro, estimated, shown } = await charged(style, `${name}/m`, told, { stream: true });
    expect([charge_micro, estimated]).toEqual([cost, false]);
    // What is shown is what is billed, wherever it is shown last.
    const last = [...shown.matchAll(/"(?:cached_tokens|cache_read_input_tokens)":(\d+)/g)].at(-1);
    expect(last?.[1]).toBe("100");
  });
});

describe.each(ways)("from %s to a vendor of %s", (style, name) => {
  test.each([false, true])("an input of 0 beside an output is estimated; streamed: %p", async (stream) => {
    const told = { text: "Hello", reports: [counts(name, nothing), counts(name, { ...nothing, output: 5 })] };
    const { estimated, usage } = await charged(style, `${name}/m`, told, { stream });
    expect([estimated, Number(usage.input_tokens) > 1000, usage.output_tokens]).toEqual([true, true, 5]);
  });
});

describe.each(["responses", "messages"] as const)("a vendor of %s that delivers nothing and counts nothing", (name) => {
  test.each(STYLES)("is not charged for: %s", async (style) => {
    vendor.answer(TELLERS[name].whole({ text: "", reports: [counts(name, nothing)] }));
    const { path, body } = GENERATION[style];
    const answer = await caller.post(path, body(`${name}/m`, LONG));
    const receipt = await endedReceipt(gateway, caller.key, answer.headers.get("x-camino-request-id") ?? "");
    expect(receipt.charge_micro).toBe(0);
  });
});

const LIFETIMES: readonly (readonly [Name, string, Json])[] = [
  [
    "chat-completions",
    "ttl_12h_tokens",
    {
      prompt_tokens_details: {
        cache_write_tokens: 50,
        cache_write_tokens_details: { ttl_12h_tokens: 40, ttl_30m_tokens: 10 },
      },
    },
  ],
  [
    "responses",
    "ttl_12h_tokens",
    {
      input_tokens_details: {
        cached_tokens: 100,
        cache_write_tokens: 50,
        cache_write_tokens_details: { ttl_12h_tokens: 40, ttl_30m_tokens: 10 },
      },
    },
  ],
  [
    "messages",
    "ephemeral_12h_input_tokens",
    { cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_12h_input_tokens: 40 } },
  ],
];

describe.each(LIFETIMES)("cache writes that a vendor of %s counts for 12 hours", (name, unpriced, more) => {
  const usage = counts(name, { fresh: 10, read: name === "chat-completions" ? 0 : 100, written: 50, output: 5 });
  const read_micro = name === "chat-completions" ? 0 : 30;

  test.each([false, true])("have their own price, or are writes that are named; streamed: %p", async (stream) => {
    const told = { text: "Hello", reports: [usage, { ...usage, ...more }] };
    const named = await charged("chat", `${name}/m`, told, { stream });
    expect(named).toMatchObject({
      charge_micro: Math.ceil(30 + read_micro + 50 * 3.75 + 75),
      usage: { unpriced: [unpriced] },
    });
    const priced = await charged("chat", `${name}/priced`, told, { stream });
    expect(priced.charge_micro).toBe(Math.ceil(30 + read_micro + 10 * 3.75 + 40 * 9 + 75));
    expect(priced.usage.unpriced).toBeUndefined();
  });
});

const text = "Hello";
const ASKING: readonly (readonly [GenerationName, string, (ttl: string) => Json])[] = [
  ["responses", "prompt_cache_options.ttl", (ttl) => ({ prompt_cache_options: { mode: "implicit", ttl } })],
  [
    "responses",
    "prompt_cache_breakpoint.ttl",
    (ttl) => ({
      input: [
        { role: "user", content: [{ type: "input_text", text, prompt_cache_breakpoint: { ttl, mode: "explicit" } }] },
      ],
    }),
  ],
  ["chat", "prompt_cache_options.ttl", (ttl) => ({ prompt_cache_options: { ttl } })],
  [
    "chat",
    "cache_control.ttl",
    (ttl) => ({
      messages: [{ role: "user", content: [{ type: "text", text, cache_control: { type: "ephemeral", ttl } }] }],
    }),
  ],
  [
    "messages",
    "cache_control.ttl",
    (ttl) => ({ system: [{ type: "text", text, cache_control: { type: "ephemeral", ttl } }] }),
  ],
  ["messages", "cache_control.ttl", (ttl) => ({ cache_control: { ttl, type: "ephemeral" } })],
  [
    "messages",
    "cache_control.ttl",
    (ttl) => ({
      tools: [
        {
          name: "f",
          input_schema: { type: "object", properties: { ttl: { type: "string" } } },
          cache_control: { type: "ephemeral", ttl },
        },
      ],
    }),
  ],
];
const OWN = { chat: "chat-completions", responses: "responses", messages: "messages" } as const;

describe.each(ASKING)("%s: %s", (style, name, body) => {
  const reports = [counts(OWN[style], { fresh: 10, read: 0, written: 0, output: 5 })];

  test.each(["1h", "12h"])("of %s is left out and named without a price, and relayed with one", async (ttl) => {
    const told = { text: "Hello", reports };
    expect((await charged(style, `${OWN[style]}/m`, told, body(ttl))).ignored).toBe(name);
    expect(JSON.stringify(vendor.asked.at(-1))).not.toContain(`"${ttl}"`);
    expect((await charged(style, `${OWN[style]}/priced`, told, body(ttl))).ignored).toBeNull();
    expect(vendor.asked.at(-1)).toMatchObject(body(ttl));
  });

  test("of the usual length is relayed", async () => {
    const usual = style === "messages" ? "5m" : "30m";
    expect((await charged(style, `${OWN[style]}/m`, { text: "Hello", reports }, body(usual))).ignored).toBeNull();
  });
});

test("an hour that a translated request asks for is left out and named without a price", async () => {
  const content = [{ type: "text", text, cache_control: { type: "ephemeral", ttl: "1h" } }];
  const told = { text: "Hello", reports: [counts("messages", { fresh: 10, read: 0, written: 0, output: 5 })] };
  const without = await charged("chat", "messages/m", told, { messages: [{ role: "user", content }] });
  expect(without.ignored).toBe("cache_control");
  expect(JSON.stringify(vendor.asked.at(-1))).toContain('"cache_control":{"type":"ephemeral"}');
  const priced = await charged("chat", "messages/priced", told, { messages: [{ role: "user", content }] });
  expect(priced.ignored).toBeNull();
  expect(JSON.stringify(vendor.asked.at(-1))).toContain('"ttl":"1h"');
});

test("a breakpoint that a translation loses is named", async () => {
  const content = [{ type: "text", text, prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } }];
  const told = { text: "Hello", reports: [counts("responses", { fresh: 10, read: 0, written: 0, output: 5 })] };
  const { ignored } = await charged("chat", "responses/m", told, { messages: [{ role: "user", content }] });
  expect(ignored).toBe("prompt_cache_breakpoint");
});

test.each([
  ["inside the prompt", 1000, undefined, 900 * 3 + 100 * 0.3 + 75],
  ["beside it, as the total shows", 1000, 1105, 1000 * 3 + 100 * 0.3 + 75],
  ["beside it, as they are more", 60, undefined, 60 * 3 + 100 * 0.3 + 75],
])("cached tokens under Anthropic's names alone are read %s", async (_, prompt_tokens, total_tokens, cost) => {
  const usage = {
    prompt_tokens,
    completion_tokens: 5,
    cache_read_input_tokens: 100,
    ...(total_tokens && { total_tokens }),
  };
  const { charge_micro } = await charged("chat", "chat-completions/m", { text: "Hello", reports: [usage] });
  expect(charge_micro).toBe(cost);
});
