import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../failures/support/scene.ts";
import { STYLES, textOfStream } from "../failures/support/styles.ts";
import type { ParsedAnswer } from "./support/answer-parser.ts";
import { request } from "./support/requests.ts";
import type { WireClient } from "./support/wire-client.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Answers byte by byte: framed as HTTP/1.1 requires, complete, and sent no faster than clients read. */

const TOKENS = 300;
/** 2 MB of text: more than the system's buffers between a client and the gateway take at once. */
const LARGE_TOKENS = 500_000;
const LARGE = `long@tokens=${LARGE_TOKENS}&piece=50`;
const STALLING = "long@tokens=20&fault=stall-mid&after=4";

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({
    // Otherwise the vendor's whole answer would be read on for a client that left.
    vendors: { acme: { on_disconnect: "abort" } },
    models: {
      "acme/echo": {},
      "acme/unicode": {},
      "acme/long": { upstream_model: `long@tokens=${TOKENS}` },
      "acme/paced": { upstream_model: "long@tokens=10&ms=20" },
      "acme/large": { upstream_model: LARGE, max_completion_tokens: LARGE_TOKENS },
      "acme/breaking": { upstream_model: "long@tokens=20&fault=cut-mid&after=4" },
      "acme/stalling": { upstream_model: STALLING },
      "acme/hanging": { upstream_model: "hang@n=1" },
    },
  });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

describe("an answer", () => {
  test("that is not streamed has its length in bytes and its date", async () => {
    using client = await wire.open();
    const targets = ["/healthz", "/docs", "/openapi.json", "/metrics", "/nowhere", "/console", "/console/"];
    client.send(Buffer.concat([...targets.map((target) => request({ target })), wire.call("acme/unicode")]));
    await client.answer(targets.length);
    for (const { framing, headers, body } of client.answers) {
      expect([framing, Number(headers.get("content-length"))]).toEqual(["length", body.length]);
      const age_ms = Date.now() - Date.parse(headers.get("date") ?? "");
      // The header's date has whole seconds.
      expect(age_ms).toBeGreaterThan(-1000);
      expect(age_ms).toBeLessThan(10_000);
      expect(headers.get("date")).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    }
    expect(client.answers.at(-1)?.text).not.toContain("\ufffd");
  });

  test("that is a stream comes in chunks and has a date", async () => {
    using client = await wire.open();
    client.send(Buffer.concat(STYLES.map((style) => wire.call("acme/long", { style, stream: true, cap: TOKENS }))));
    for (const [index, style] of STYLES.entries()) {
      const { framing, headers, text } = await client.answer(index);
      expect([framing, headers.get("content-type")]).toEqual(["chunked", expect.stringMatching(/^text\/event-stream/)]);
      expect(headers.get("date")).toMatch(/ GMT$/);
      expect(textOfStream(style, text)).toHaveLength(TOKENS * 4);
    }
    expect(client.ending).toBeNull();
  });

  test("that is a stream comes piece by piece, as the vendor sends it", async () => {
    using client = await wire.open();
    client.send(wire.call("acme/paced", { stream: true }));
    const sizes = new Set<number>();
    await client.until("the whole stream", () => {
      sizes.add(client.received_bytes);
      return client.answers.length === 1;
    });
    expect(sizes.size).toBeGreaterThan(5);
  });

  test.each(STYLES)("that is a broken stream of $endpoint is ended as a complete body", async (style) => {
    using client = await wire.open();
    client.send(wire.call("acme/breaking", { style, stream: true, cap: 20 }));
    const { text, framing } = await client.answer();
    expect(framing).toBe("chunked");
    expect(text).toContain("error");
    expect(text).not.toContain("[DONE]");
    client.send(request());
    if (client.ending === null)
      await client.until("an answer or the end", () => client.ending !== null || client.answers.length === 2);
  });

  test("that was not changed has no body", async () => {
    using client = await wire.open();
    client.send(request({ target: "/console/" }));
    const { status, headers } = await client.answer();
    expect(status).toBe(200);
    const conditional = request({ target: "/console/", headers: [`if-none-match: ${headers.get("etag")}`] });
    client.send(Buffer.concat([conditional, request()]));
    await client.answer(2);
    expect(client.statuses).toEqual([200, 304, 200]);
    expect(client.answers[1]?.body).toHaveLength(0);
  });

  test("that redirects has no body but a length", async () => {
    using client = await wire.open();
    client.send(request({ target: "/console" }));
    const { status, headers, framing } = await client.answer();
    expect([status, headers.get("location"), framing]).toEqual([308, "/console/", "length"]);
  });
});

describe("a client that reads slowly", () => {
  /** Reads a little and waits, again and again, until an answer is complete. */
  async function dawdle(client: WireClient): Promise<ParsedAnswer> {
    for (let turn = 0; turn < 20 && client.answers.length === 0; turn += 1) {
      client.pause();
      await Bun.sleep(10);
      client.resume();
      await new Promise(setImmediate);
    }
    return await client.answer();
  }

  test.each([
    ["a stream", "HTTP/1.1", true],
    ["a stream of HTTP/1.0", "HTTP/1.0", true],
    ["a whole answer", "HTTP/1.1", false],
  ])("gets every byte of %s", async (_name, version, stream) => {
    using client = await wire.open();
    client.pause();
    client.send(wire.call("acme/large", { version, stream, cap: LARGE_TOKENS }));
    await Bun.sleep(200);
    const { text } = await dawdle(client);
    const word = /word/g;
    const said = stream ? textOfStream(STYLES[0] as (typeof STYLES)[number], text) : text;
    expect(said.match(word)?.length).toBeGreaterThan(LARGE_TOKENS - 100);
    if (stream) expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("delays only itself", async () => {
    using slow = await wire.open();
    slow.pause();
    slow.send(
      Buffer.concat(Array.from({ length: 4 }, () => wire.call("acme/large", { stream: true, cap: LARGE_TOKENS }))),
    );
    using other = await wire.open();
    for (let index = 0; index < 20; index += 1) {
      other.send(wire.call("acme/echo"));
      expect((await other.answer(index)).status).toBe(200);
    }
    slow.resume();
    await slow.answer(3);
    expect(slow.answers.map(({ text }) => text.endsWith("data: [DONE]\n\n"))).toEqual([true, true, true, true]);
  });
});

describe("a client that leaves", () => {
  /** Whether everything has come that the stalling vendor sends. */
  const begun = ({ parser }: WireClient): boolean => (parser.partial.toString().match(/"content":/g)?.length ?? 0) >= 4;
  const vendorEnds = (model: string, since: number) =>
    eventually(`the end of ${model}`, async () => {
      const record = wire.scene.simulator.log.requests.slice(since).find((each) => each.model === model);
      return record === undefined ? null : await record.ended;
    });

  const leaving = {
    "in order": (client: WireClient) => client.leave(),
    "by force": (client: WireClient) => client[Symbol.dispose](),
  };
  const moments = (["in order", "by force"] as const).flatMap((how) => [
    { how, when: "from a stream", model: "acme/stalling", upstream: STALLING, stream: true },
    { how, when: "before its answer", model: "acme/hanging", upstream: "hang@n=1", stream: false },
  ]);

  test.each(moments)("$how, $when, leaves no vendor running", async ({ how, model, upstream, stream }) => {
    const since = wire.scene.simulator.log.requests.length;
    using client = await wire.open();
    client.send(wire.call(model, { stream }));
    if (stream) await client.until("content", () => begun(client));
    else await eventually("the vendor's request", async () => wire.scene.simulator.log.requests.length > since || null);
    leaving[how](client);
    expect((await vendorEnds(upstream, since)).aborted).toBe(true);
  });

  test("with requests behind the one that is answered has them dropped", async () => {
    const before = wire.scene.simulator.log.count("echo");
    using client = await wire.open();
    client.send(
      Buffer.concat([wire.call("acme/stalling", { stream: true }), wire.call("acme/echo"), wire.call("acme/echo")]),
    );
    await client.until("content", () => begun(client));
    client[Symbol.dispose]();
    await wire.expectAtRest();
    expect(wire.scene.simulator.log.count("echo")).toBe(before);
  });

  test("in the middle of a head or a body leaves nothing behind", async () => {
    const whole = wire.call("acme/echo");
    const authorized = AUTHORIZATION + wire.key.key;
    for (const bytes of [
      whole.subarray(0, 20),
      whole.subarray(0, whole.length - 5),
      Buffer.from(
        `POST /v1/messages HTTP/1.1\r\nhost: x\r\n${authorized}\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab`,
      ),
      Buffer.from("\r\n"),
      Buffer.alloc(0),
    ]) {
      for (const leave of ["leave", Symbol.dispose] as const) {
        using client = await wire.open();
        await client.sendAll(bytes);
        client[leave]();
        await client.ended();
      }
    }
    await wire.expectAtRest();
  });
});

test("no request, hold or fault is left at the end", async () => {
  await wire.expectAtRest();
});
