import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { Call } from "../wire/client/call.ts";
import { WireClient } from "../wire/client/wire-client.ts";
import { Deadlines } from "../wire/deadlines.ts";
import { type Collector, OtlpSender } from "./otlp-sender.ts";

const deadlines = new Deadlines();
const wire = new WireClient(deadlines, () => false);
const client: Collector = {
  start: (request) => {
    const call = new Call(deadlines, request.timeouts);
    wire.send(request, call);
    return call;
  },
};

/** What the collector answers next; then 200 to everything. */
let answers: (() => Response)[] = [];
let got: string[] = [];
let headers: Headers | null = null;
const server = Bun.serve({
  ...{ hostname: "127.0.0.1", port: 0 },
  fetch: async (request) => {
    headers = request.headers;
    got.push(await request.text());
    return (answers.shift() ?? (() => new Response()))();
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  [answers, got] = [[], []];
});

function senderTo(endpoint: string): OtlpSender {
  return new OtlpSender(client, { endpoint, headers: { "X-Key": "one" }, version: "1.2.3" }, "traces");
}

const sender = senderTo(`http://127.0.0.1:${server.port}`);
const busy = (retry_after: string, status = 503) =>
  new Response("", { status, headers: { "retry-after": retry_after } });

describe("an export", () => {
  test("goes out with the collector's headers and its own", async () => {
    expect(await sender.send(Buffer.from("one"))).toBe(0);
    expect(got).toEqual(["one"]);
    expect(Object.fromEntries(headers ?? [])).toMatchObject({
      ...{ "x-key": "one", "content-type": "application/x-protobuf", "user-agent": "camino/1.2.3" },
    });
  });

  test.each([429, 502, 503, 504])("is sent again after a %d, when the collector says", async (status) => {
    answers = [() => busy("0", status), () => busy(new Date(0).toUTCString(), status)];
    expect(await sender.send(Buffer.from("again"))).toBe(0);
    expect(got).toEqual(["again", "again", "again"]);
  });

  test("is not kept waiting longer than it may take", async () => {
    answers = [() => busy("60")];
    await expect(sender.send(Buffer.from("late"))).rejects.toThrow("the collector answered 503");
    expect(got).toHaveLength(1);
  });

  test.each([400, 404, 500, 307])("is given up after a %d", async (status) => {
    answers = [() => new Response("said here", { status, headers: { location: "/elsewhere" } })];
    await expect(sender.send(Buffer.from("no"))).rejects.toThrow(`the collector answered ${status}`);
    expect(got).toHaveLength(1);
  });

  test("tells how much of it was refused for good, and is not sent again", async () => {
    const partial = Buffer.concat([Buffer.from([0x0a, 7, 0x08, 0xac, 0x02, 0x12, 2]), Buffer.from("no")]);
    answers = [() => new Response(partial)];
    expect(await sender.send(Buffer.from("part"))).toBe(300);
    answers = [() => new Response(Buffer.from([0x0a, 4, 0x12, 2, 0x61, 0x62]))];
    expect(await sender.send(Buffer.from("warned"))).toBe(0);
    expect(got).toEqual(["part", "warned"]);
  });

  test("ends when it is told to, and is not tried again", async () => {
    const away = senderTo("http://127.0.0.1:1");
    const sent = away.send(Buffer.from("never"));
    away.stop();
    await expect(sent).rejects.toThrow();
  });
});
