import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import OpenAI from "openai";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { ClientStream } from "./support/client-stream.ts";
import { configurationFor, eventually, type ModelOptions, type Receipt } from "./support/scene.ts";
import { type ScriptedReply, ScriptedVendor, type VendorScript } from "./support/scripted-vendor.ts";
import { brokenLaw } from "./support/stream-laws.ts";
import { STYLES, type Style } from "./support/styles.ts";
import { TOLD, type ToldAnswer } from "./support/told-answers.ts";

/**
 * A client that waits is told so (docs/rulings.md 194): before the first content, and between two parts of an answer. The vendor of these
 * tests goes on only once its client has been told.
 */

const PROTOCOLS = ["chat-completions", "responses", "messages"] as const;
type Spoken = (typeof PROTOCOLS)[number];

const ROWS = STYLES.flatMap((style) => PROTOCOLS.map((protocol) => ({ style, protocol })));

/** The beats of each style, and how many a client waits for. */
const BEATS: Readonly<Record<string, RegExp>> = {
  "chat.completions": /^: keep-alive\n\n/gm,
  responses: /^: keep-alive\n\n/gm,
  messages: /^event: ping\ndata: \{"type":"ping"\}\n\n/gm,
  // An empty line that does not end an event.
  generateContent: /(?<![^\n])\n(?<!data: [^\n]*\n\n)/g,
};
const ENOUGH = 2;

/** What a request's script waits for, by the text that the client asks with. */
const told = new Map<string, PromiseWithResolvers<void>>();
/** The answers that are being written, by the same text. */
const replies = new Map<string, ScriptedReply>();

function gateOf(text: string): PromiseWithResolvers<void> {
  const known = told.get(text) ?? Promise.withResolvers<void>();
  told.set(text, known);
  return known;
}

function beatsIn(style: Style, received: string): number {
  return received.match(BEATS[style.endpoint] as RegExp)?.length ?? 0;
}

function answerOf(protocol: Spoken): ToldAnswer {
  return (TOLD[protocol] as (text: string) => ToldAnswer)("told");
}

/** Waits until the client of the request has been told to wait, and then writes what `parts` gives. */
function waiting(
  before: (told: ToldAnswer) => readonly Uint8Array[],
  after: (told: ToldAnswer) => readonly Uint8Array[],
) {
  return (protocol: Spoken): VendorScript =>
    async (reply) => {
      const text = /wait-[\w.-]+/.exec(reply.asked)?.[0] ?? "";
      replies.set(text, reply);
      const answer = answerOf(protocol);
      for (const part of before(answer)) await reply.send(part);
      await Promise.race([gateOf(text).promise, reply.left]);
      for (const part of after(answer)) await reply.send(part);
    };
}

const SCRIPTS: Readonly<Record<string, (protocol: Spoken) => VendorScript>> = {
  thinking: waiting(
    ({ opening }) => [opening],
    ({ content, end }) => [content, end],
  ),
  pausing: waiting(
    ({ opening, content }) => [opening, content],
    ({ end }) => [end],
  ),
  failing: waiting(
    ({ opening }) => [opening],
    ({ failure }) => [failure],
  ),
  silent: waiting(
    () => [],
    ({ failure }) => [failure],
  ),
  second: () => async (reply) => {
    const { opening, content, end } = answerOf("chat-completions");
    for (const part of [opening, content, end]) await reply.send(part);
  },
};

let vendor: ScriptedVendor;
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  vendor = await new ScriptedVendor().listen();
  const vendors: Record<string, object> = {};
  const models: Record<string, ModelOptions> = {};
  for (const [name, scriptOf] of Object.entries(SCRIPTS))
    for (const protocol of PROTOCOLS) {
      const base_url = vendor.answering(`${name}-${protocol}`, scriptOf(protocol));
      for (const on_disconnect of ["abort", "drain"]) {
        vendors[`${name}-${protocol}-${on_disconnect}`] = { protocol, base_url, api_key: "k", on_disconnect };
        models[`${name}-${protocol}-${on_disconnect}/m`] = { upstream_model: "m" };
      }
      models[`${name}-${protocol}/saved`] = {
        routes: [{ vendor: `${name}-${protocol}-abort`, upstream_model: "m" }],
        fallbacks: ["second-chat-completions-abort/m"],
      };
    }
  const config = JSON.parse(configurationFor("http://127.0.0.1:9", { models })) as object;
  gateway = await startGateway({
    config: JSON.stringify({ ...config, vendors }),
    program: join(import.meta.dir, "../../support/gateways/beating-gateway.ts"),
  });
  key = await gateway.newKey({ credit: "1000" });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

interface Asked {
  readonly style: Style;
  readonly model: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: object;
}

async function ask({ style, model, text, headers = {}, more = {} }: Asked): Promise<ClientStream> {
  const leaving = new AbortController();
  const response = await fetch(gateway.url + style.path(model, { stream: true }), {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify({ ...style.body(model, { stream: true, cap: 1000, text }), ...more }),
    signal: leaving.signal,
  });
  return new ClientStream(style, response, leaving);
}

let asked = 0;
function newText(): string {
  asked += 1;
  return `wait-${asked}`;
}

/** Reads until the client has been told to wait, lets the vendor go on, and reads the rest. */
async function askToWait(given: Omit<Asked, "text"> & { readonly text?: string }): Promise<ClientStream> {
  const { text = newText() } = given;
  const stream = await ask({ ...given, text });
  await stream.until(({ received }) => beatsIn(given.style, received) >= ENOUGH);
  gateOf(text.slice(0, /wait-\d+/.exec(text)?.[0].length)).resolve();
  return await stream.finish();
}

function ended(request_id: string): Promise<Receipt> {
  return eventually(`the end of ${request_id}`, async () => {
    const receipt = await gateway.admin<Receipt>("GET", `/requests/${request_id}`);
    return receipt.status === "held" ? null : receipt;
  });
}

/** How a stream ended. But for the beats it keeps the laws. */
function endOf({ status, text, ending, received }: ClientStream, style: Style): object {
  const law = brokenLaw(style, received.replaceAll(BEATS[style.endpoint] as RegExp, ""));
  return { status, text, ending, broken_law: law };
}

const WELL = { status: 200, text: "told", ending: "complete", broken_law: null };

/** The end of a failed answer. The law that it would belong into the status holds where no beat has sent the status before. */
function failed({ endpoint }: Style): object {
  const law = endpoint === "responses" ? null : expect.stringContaining("belongs into the status");
  return { status: 200, text: "", ending: "failed", broken_law: law };
}

describe("a client of $style.endpoint, with a vendor of $protocol", () => {
  test.concurrent.each(ROWS)(
    "is told to wait before content: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      const stream = await askToWait({ style, model: `thinking-${protocol}-abort/m` });
      expect(endOf(stream, style)).toEqual(WELL);
      expect(stream.received).toMatch(BEATS[style.endpoint] as RegExp);
      const receipt = await ended(stream.request_id);
      expect(receipt).toMatchObject({ status: "settled", error: null });
      expect(receipt.first_byte_ms).not.toBeNull();
    },
  );

  test.concurrent.each(ROWS)(
    "is told to wait amid an answer: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      expect(endOf(await askToWait({ style, model: `pausing-${protocol}-abort/m` }), style)).toEqual(WELL);
    },
  );

  test.concurrent.each(ROWS)(
    "gets the answer of another route after it was told to wait: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      const stream = await askToWait({ style, model: `failing-${protocol}/saved` });
      expect(endOf(stream, style)).toEqual(WELL);
      const { attempts, error } = await ended(stream.request_id);
      expect([attempts.length, error]).toEqual([2, null]);
    },
  );

  test.concurrent.each(ROWS)(
    "is told of a failure inside the stream after it was told to wait: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      for (const name of ["failing", "silent"]) {
        const stream = await askToWait({ style, model: `${name}-${protocol}-abort/m` });
        expect(endOf(stream, style)).toEqual(failed(style));
        const receipt = await ended(stream.request_id);
        expect(receipt).toMatchObject({ status: "voided", charge_micro: 0, usage: null });
        expect(receipt.error).not.toBeNull();
      }
    },
  );

  test.concurrent.each(ROWS)(
    "may leave while it waits, and owes the input where the vendor is left: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      const text = newText();
      const stream = await ask({ style, model: `thinking-${protocol}-abort/m`, text });
      await stream.until(({ received }) => beatsIn(style, received) >= ENOUGH);
      stream.leave();
      await replies.get(text)?.left;
      const receipt = await ended(stream.request_id);
      expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { output_tokens: 0 } });
    },
  );

  test.concurrent.each(ROWS)(
    "may leave while it waits, and owes the whole where the vendor is read to its end: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      const text = newText();
      const stream = await ask({ style, model: `thinking-${protocol}-drain/m`, text });
      await stream.until(({ received }) => beatsIn(style, received) >= ENOUGH);
      stream.leave();
      gateOf(text).resolve();
      const receipt = await ended(stream.request_id);
      expect(receipt).toMatchObject({
        status: "settled",
        estimated: false,
        usage: { input_tokens: 5, output_tokens: 2 },
      });
    },
  );

  test.concurrent.each(ROWS)("finds no beat in a replay: $style.endpoint of $protocol", async ({ style, protocol }) => {
    for (const name of ["thinking", "pausing"]) {
      const given = { style, model: `${name}-${protocol}-abort/m`, text: newText() };
      const headers = { "idempotency-key": `${name}-${style.endpoint}-${protocol}` };
      const first = await askToWait({ ...given, headers });
      const again = await (await ask({ ...given, headers })).finish();
      expect(again.response.headers.get("idempotent-replayed")).toBe("true");
      expect(endOf(again, style)).toEqual(WELL);
      const own = again.received.match(BEATS[style.endpoint] as RegExp)?.length ?? 0;
      // What the vendor itself sent between its events stays.
      expect(own).toBeLessThanOrEqual(style.protocol === "messages" && protocol === "messages" ? 1 : 0);
      expect(first.received.length).toBeGreaterThan(again.received.length);
    }
  });

  test.concurrent.each(ROWS)(
    "is told so of a large request, too: $style.endpoint of $protocol",
    async ({ style, protocol }) => {
      for (const [name, expected] of [
        ["thinking", WELL],
        ["pausing", WELL],
        ["failing", failed(style)],
      ] as const) {
        const text = `${newText()} ${"large ".repeat(100_000)}`;
        expect(endOf(await askToWait({ style, model: `${name}-${protocol}-abort/m`, text }), style)).toEqual(expected);
      }
    },
  );
});

test("a stored response is found after its client was told to wait", async () => {
  const style = STYLES.find(({ endpoint }) => endpoint === "responses") as Style;
  const stream = await askToWait({ style, model: "thinking-chat-completions-abort/m", more: { store: true } });
  const [first] = stream.events;
  const { id } = (first as { response: { id: string } }).response;
  const found = await fetch(`${gateway.url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${key.key}` } });
  expect([found.status, JSON.stringify(await found.json()).includes("told")]).toEqual([200, true]);
});

test("the official client reads a failure that came after it was told to wait", async () => {
  const client = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const text = newText();
  const stream = client.responses.stream({ model: "failing-responses-abort/m", input: text });
  const reading = stream.finalResponse();
  await eventually("the vendor's request", async () => replies.get(text) ?? null);
  // The head goes out with the first beat.
  await Bun.sleep(600);
  gateOf(text).resolve();
  expect((await reading).status).toBe("failed");
});
