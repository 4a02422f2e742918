import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "./server.ts";
import { RawClient } from "./testing/raw-client.ts";
import { PLAIN_REQUESTS, type PlainRequest, send } from "./testing/requests.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

function connect(request: PlainRequest, model: string, stream: boolean): Promise<RawClient> {
  return RawClient.post(simulator.port, request.path, request.body(model, stream), request.headers);
}

/** The marker at the end of a complete stream, by protocol. */
const TERMINAL: Readonly<Record<string, string>> = {
  "chat-completions": "data: [DONE]",
  responses: "response.completed",
  messages: "message_stop",
};

/** The first word of the answer, as it travels in the first delta. */
const FIRST_WORD = "Simulated";

describe.each(PLAIN_REQUESTS)("on $protocol", (request) => {
  test.each([400, 401, 403, 404, 408, 422, 429, 500, 503, 529])(
    "fail-%d has that status, streamed or not",
    async (status) => {
      for (const stream of [true, false]) {
        const answer = await send(simulator.url, request, `fail-${status}`, stream);
        expect(answer.status).toBe(status);
        expect(await answer.json()).toHaveProperty("error.message", expect.stringContaining("Simulated failure"));
        expect(answer.headers.get("retry-after")).toBe(status === 429 ? "1" : null);
      }
    },
  );

  test("fail takes its status and retry headers from its name", async () => {
    const answer = await send(simulator.url, request, "fail@status=418&retry_after=7&retry_after_ms=250", false);
    expect(answer.status).toBe(418);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(answer.headers.get("retry-after-ms")).toBe("250");
  });

  test("fail-first fails a number of times for each full name, then answers", async () => {
    const statuses: number[] = [];
    const name = `fail-first@n=2&key=${request.protocol}`;
    for (const model of [name, name, name, `${name}-other`]) {
      statuses.push((await send(simulator.url, request, model, false)).status);
    }
    expect(statuses).toEqual([503, 503, 200, 503]);
    expect(simulator.log.count(name)).toBe(3);
  });

  test("any model may have a fault in its name", async () => {
    expect((await send(simulator.url, request, "tools@fault=fail-429", false)).status).toBe(429);
  });

  test.each([true, false])("empty-200 answers 200 with an empty body (stream: %p)", async (stream) => {
    const answer = await send(simulator.url, request, "empty-200", stream);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("");
  });

  test("html-200 and html-502 are web pages", async () => {
    for (const status of [200, 502]) {
      const answer = await send(simulator.url, request, `html-${status}`, true);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toStartWith("text/html");
    }
  });

  test("bad-json breaks off amid its JSON", async () => {
    const whole = await (await send(simulator.url, request, "bad-json", false)).text();
    expect(() => JSON.parse(whole)).toThrow();
    expect(await (await send(simulator.url, request, "bad-json", true)).text()).toEndWith('data: {"broken": \n\n');
  });

  test("redirect goes to an address that answers, so that the log shows whether the client followed", async () => {
    const answer = await send(simulator.url, request, "redirect", false);
    expect(answer.status).toBe(307);
    expect(answer.headers.get("location")).toBe(`/redirected${request.path}`);
    const followed = await send(`${simulator.url}/redirected`, request, "redirect", false);
    expect(followed.status).toBe(200);
    expect(simulator.log.last?.path).toBe(`/redirected${request.path}`);
  });

  test("echo-secret repeats the credentials that it received", async () => {
    const headers = { ...request.headers, authorization: "Bearer sk-secret-1", "x-api-key": "sk-secret-2" };
    const answer = await send(simulator.url, { ...request, headers }, "echo-secret", false);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/org-simulated.*sk-secret-1.*sk-secret-2/);
  });

  test("hang never answers, and the log records that the client left", async () => {
    const seen = Promise.withResolvers<void>();
    simulator.log.onRequest = () => seen.resolve();
    const client = await connect(request, "hang", true);
    await seen.promise;
    simulator.log.onRequest = null;
    client.leave();
    expect(await simulator.log.last?.ended).toMatchObject({ model: "hang", aborted: true, status: 0 });
    expect(client.received).toBe("");
  });

  test.each([true, false])("hang-after-headers sends headers and no event (stream: %p)", async (stream) => {
    const client = await connect(request, "hang-after-headers", stream);
    await client.until("\r\n\r\n1\r\n\n\r\n");
    client.leave();
    expect(await simulator.log.last?.ended).toMatchObject({ aborted: true, finished: false, bytes_written: 1 });
  });

  test("stall-mid sends some content and then nothing, and the log records that the client left", async () => {
    const client = await connect(request, "stall-mid@after=1", true);
    await client.until(FIRST_WORD);
    client.leave();
    expect(await simulator.log.last?.ended).toMatchObject({ aborted: true });
    expect(client.received).not.toContain("six");
  });

  test.each([true, false])(
    "cut-mid ends the connection after content, without the last chunk (stream: %p)",
    async (stream) => {
      const client = await connect(request, "cut-mid@after=2", stream);
      await client.closed;
      expect(client.received).toContain("HTTP/1.1 200 OK");
      expect(client.received.length).toBeGreaterThan(300);
      expect(client.complete).toBe(false);
      if (stream) expect(client.received).toContain(FIRST_WORD);
      expect(simulator.log.last).toMatchObject({ finished: true, aborted: false });
    },
  );

  test.each([true, false])("cut-before-content ends the connection before any content (stream: %p)", async (stream) => {
    const client = await connect(request, "cut-before-content", stream);
    await client.closed;
    expect(client.received).toContain("HTTP/1.1 200 OK");
    expect(client.complete).toBe(false);
    expect(client.received).not.toContain(FIRST_WORD);
  });

  test("cut-headers ends the connection amid the headers", async () => {
    const client = await connect(request, "cut-headers", true);
    await client.closed;
    expect(client.received).not.toContain("\r\n\r\n");
  });

  test("error-first sends an error in place of content, with status 200", async () => {
    const streamed = await send(simulator.url, request, "error-first", true);
    expect(streamed.status).toBe(200);
    const text = await streamed.text();
    expect(text).toContain("Simulated failure");
    expect(text.match(/^data: /gm)).toHaveLength(1);
    const whole = await send(simulator.url, request, "error-first@status=503", false);
    expect(whole.status).toBe(200);
    expect(await whole.json()).toHaveProperty("error.message", expect.stringContaining("503"));
  });

  test("error-mid sends an error after some content, and nothing after the error", async () => {
    const text = await (await send(simulator.url, request, "error-mid@after=2", true)).text();
    expect(text).toContain(FIRST_WORD);
    expect(text.indexOf("Simulated failure")).toBeGreaterThan(text.indexOf(FIRST_WORD));
    expect(text).not.toContain(TERMINAL[request.protocol] ?? "");
  });

  test("end-mid ends the stream cleanly after some content, as if the answer were complete", async () => {
    const client = await connect(request, "end-mid@after=1", true);
    await client.until("\r\n0\r\n\r\n");
    expect(client.received).toContain(FIRST_WORD);
    expect(client.received).not.toContain("six");
    client.leave();
  });

  test("no-done leaves out the terminal marker and nothing else", async () => {
    const whole = await (await send(simulator.url, request, "echo", true)).text();
    const without = await (await send(simulator.url, request, "no-done", true)).text();
    expect(whole).toContain(TERMINAL[request.protocol] ?? "");
    expect(without).toContain("six");
    expect(without).not.toContain(TERMINAL[request.protocol] ?? "");
  });

  test("slow-first-byte answers in the end", async () => {
    expect((await send(simulator.url, request, "slow-first-byte@first_ms=1", true)).status).toBe(200);
  });
});
