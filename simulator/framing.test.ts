import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "./server.ts";
import { RawClient } from "./testing/raw-client.ts";
import { PLAIN_REQUESTS, send } from "./testing/requests.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

describe.each(PLAIN_REQUESTS)("on $protocol", (request) => {
  /** The stream of a model, with the parts that differ between requests (such as ids) made equal. */
  async function streamOf(model: string): Promise<string> {
    const text = await (await send(simulator.url, request, model, true)).text();
    return text.replaceAll(/sim_[0-9a-z]+/g, "sim").replaceAll(`"${model}"`, '"NAME"');
  }

  test.each(["chunks-1", "chunks-7", "one-chunk"])("%s has the bytes of an ordinary stream", async (model) => {
    expect(await streamOf(model)).toBe(await streamOf("echo"));
  });

  test("crlf and cr differ in the ends of lines only", async () => {
    const plain = await streamOf("echo");
    expect(await streamOf("crlf")).toBe(plain.replaceAll("\n", "\r\n"));
    expect(await streamOf("cr")).toBe(plain.replaceAll("\n", "\r"));
  });

  test("comments come between events", async () => {
    const commented = await streamOf("comments");
    expect(commented).toStartWith(": keep-alive\n\n");
    expect(commented.replaceAll(": keep-alive\n\n", "")).toBe(await streamOf("echo"));
  });

  test("bom comes first", async () => {
    const bytes = await (await send(simulator.url, request, "bom", true)).bytes();
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  test("huge-line has a line beyond 1 MiB", async () => {
    const lines = (await streamOf("huge-line")).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(2 ** 20);
    expect((await (await send(simulator.url, request, "huge-line@bytes=100", false)).text()).length).toBeLessThan(5000);
  });

  test("bench writes 64 deltas, each as a separate chunk, and equal for every client", async () => {
    const client = await RawClient.post(simulator.port, request.path, request.body("bench", true), request.headers);
    await client.until("\r\n0\r\n\r\n");
    client.leave();
    const chunks = client.received.split(/\r\n[0-9a-f]+\r\n/).filter((chunk) => / word \d|Simulated/.test(chunk));
    expect(chunks.filter((chunk) => /delta/.test(chunk)).length).toBeGreaterThanOrEqual(64);
    expect(await streamOf("bench")).toBe(await streamOf("bench"));
    const whole = async () => (await send(simulator.url, request, "bench", false)).text();
    expect(await whole()).toBe(await whole());
  });
});
