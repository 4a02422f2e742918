import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, eventsOf, GENERATION, type Json } from "../../support/calls.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "../clients/five-vendors.ts";

/** `GET /v1/generation` (docs/api.md 4.23): a request by the id that stands in its answer, in each style, relayed and translated. */

let five: FiveVendors;
let caller: Caller;
beforeAll(async () => {
  five = await startFiveVendors();
  caller = new Caller(five.gateway, five.key);
});
afterAll(() => five[Symbol.asyncDispose]());

const GEMINI = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };

interface Asked {
  readonly path: string;
  readonly body: object;
}
const STYLES: Readonly<Record<string, (model: string, stream: boolean) => Asked>> = {
  chat: (model, stream) => ({ path: GENERATION.chat.path, body: { ...GENERATION.chat.body(model), stream } }),
  responses: (model, stream) => ({
    path: GENERATION.responses.path,
    body: { ...GENERATION.responses.body(model), stream },
  }),
  messages: (model, stream) => ({
    path: GENERATION.messages.path,
    body: { ...GENERATION.messages.body(model), stream },
  }),
  gemini: (model, stream) => {
    const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return { path: `/v1beta/models/${encodeURIComponent(model)}:${method}`, body: GEMINI };
  },
};

/** The id that a client reads in an answer. */
function idIn(text: string, is_stream: boolean): string {
  const first = is_stream ? (eventsOf(text)[0]?.data ?? {}) : (JSON.parse(text) as Json);
  const holder = (first.message ?? first.response ?? first) as Json;
  return String(holder.id ?? holder.responseId);
}

const CASES = Object.keys(STYLES).flatMap((style) =>
  PROTOCOLS.flatMap((protocol) => [false, true].map((is_stream) => ({ style, protocol, is_stream }))),
);

describe("an answer's own id finds what its request cost", () => {
  test.each(CASES)("$style of a vendor of $protocol, streamed: $is_stream", async ({ style, protocol, is_stream }) => {
    const asked = STYLES[style]?.(`${protocol}/echo`, is_stream);
    if (asked === undefined) throw new Error("no such style");
    const response = await caller.send("POST", asked.path, asked.body);
    const id = idIn(await response.text(), is_stream);
    const request_id = response.headers.get("x-camino-request-id") ?? "";
    const receipt = await endedReceipt(five.gateway, five.key, request_id);
    const { status, json } = await caller.get(`/v1/generation?id=${encodeURIComponent(id)}`);
    const cost = Number(receipt.charge_micro) / 1e6;
    const data = { id, request_id, total_cost: cost, usage: cost, model: `${protocol}/echo`, provider_name: protocol };
    expect({ status, json }).toMatchObject({ status: 200, json: { data: { ...data, streamed: is_stream } } });
    expect((await caller.get(`/v1/requests/${encodeURIComponent(id)}`)).json).toMatchObject({ id: request_id });
  });
});

describe("what it finds", () => {
  test("is the account's own alone", async () => {
    const { json } = await caller.generate("chat", "messages/echo");
    const path = `/v1/generation?id=${json.id}`;
    const other = new Caller(five.gateway, (await five.gateway.newKey({ credit: "1" })).key);
    expect([(await caller.get(path)).status, (await other.get(path)).status]).toEqual([200, 404]);
  });

  test.each(["?id=chatcmpl-none", "?id=", ""])("is nothing for %p", async (query) => {
    expect((await caller.get(`/v1/generation${query}`)).status).toBe(404);
  });
});
