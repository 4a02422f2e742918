import { expect, test } from "bun:test";
import { eventually } from "../failures/support/scene.ts";
import { request } from "./support/requests.ts";
import { WireClient } from "./support/wire-client.ts";
import { startWireScene } from "./support/wire-scene.ts";

/** SIGTERM on connections: running requests are completed, idle connections are closed, new ones are refused. */

const LATE = "slow-first-byte@first_ms=500";
/** 20 MB of text: more than the system's buffers between a client and the gateway take. */
const LARGE_TOKENS = 5_000_000;
const LARGE = `long@tokens=${LARGE_TOKENS}&piece=2500`;
const PACED = "long@tokens=60&ms=10";

test("a gateway that stops waits for clients that read their answers slowly", async () => {
  await using wire = await startWireScene({
    models: { "acme/large": { upstream_model: LARGE, max_completion_tokens: LARGE_TOKENS } },
  });
  using client = await wire.open();
  client.pause();
  client.send(wire.call("acme/large", { cap: LARGE_TOKENS }));
  const settled = async () => (await wire.scene.receipts(wire.key)).some(({ status }) => status === "settled");
  await eventually("the end of the call", async () => ((await settled()) ? true : null));
  wire.scene.gateway.signal("SIGTERM");
  await Bun.sleep(700);
  client.resume();
  const [answer, ...more] = await client.ended();
  expect([answer?.status, answer?.framing, more]).toEqual([200, "length", []]);
  expect(answer?.text.match(/word/g)?.length).toBeGreaterThan(LARGE_TOKENS - 100);
  expect(await wire.scene.gateway.exited).toBe(0);
});

test("a gateway that stops answers what was sent before it could know of the end", async () => {
  await using wire = await startWireScene({ models: { "acme/echo": {} } });
  const { gateway } = wire.scene;
  const kept = await Promise.all(Array.from({ length: 8 }, () => wire.open()));
  for (const client of kept) {
    client.send(request());
    await client.answer();
  }
  // The signal and the requests are there when the process goes on: which of them it hears of first is the system's.
  gateway.signal("SIGSTOP");
  for (const client of kept) client.send(wire.call("acme/echo"));
  gateway.signal("SIGTERM");
  gateway.signal("SIGCONT");
  for (const client of kept) {
    const [, answer, ...more] = await client.ended();
    expect([answer?.status, answer?.headers.get("connection"), more]).toEqual([200, "close", []]);
  }
  expect(await gateway.exited).toBe(0);
});

test("a gateway that stops answers begun requests, and closes all other connections at once", async () => {
  await using wire = await startWireScene({
    models: { "acme/echo": {}, "acme/late": { upstream_model: LATE }, "acme/paced": { upstream_model: PACED } },
  });
  const { scene } = wire;
  const clients = await Promise.all(Array.from({ length: 7 }, () => wire.open()));
  const [fresh, idle, partial, whole, streaming, pipelined, uploading] = clients as [
    WireClient,
    WireClient,
    WireClient,
    WireClient,
    WireClient,
    WireClient,
    WireClient,
  ];
  idle.send(request());
  await idle.answer();
  partial.send("GET /healthz HTTP/1.1\r\nho");
  whole.send(wire.call("acme/late"));
  streaming.send(wire.call("acme/paced", { stream: true }));
  pipelined.send(Buffer.concat([wire.call("acme/late"), request()]));
  const upload = wire.call("acme/echo", { text: "the second half" });
  uploading.send(upload.subarray(0, -20));
  await eventually("the calls", async () => (scene.simulator.log.count(LATE) === 2 ? true : null));
  await streaming.until("content", () => streaming.parser.partial.includes("content"));

  scene.gateway.signal("SIGTERM");
  const asked_ms = performance.now();
  await Promise.all([fresh.ended(), idle.ended()]);
  expect(performance.now() - asked_ms).toBeLessThan(600);
  expect([fresh.answers.length, idle.answers.length]).toEqual([0, 1]);
  await expect(WireClient.open(scene.gateway.url)).rejects.toThrow();
  expect([whole.answers.length, streaming.answers.length]).toEqual([0, 0]);
  uploading.send(upload.subarray(-20));

  const [late] = await whole.ended();
  expect([late?.status, late?.headers.get("connection")]).toEqual([200, "close"]);
  const [stream] = await streaming.ended();
  expect(stream?.text.endsWith("data: [DONE]\n\n")).toBe(true);
  // The second request may or may not be answered, but no answer is cut, and the last answer says that it is the last.
  const behind = await pipelined.ended();
  expect(behind[0]?.status).toBe(200);
  expect(behind.at(-1)?.headers.get("connection")).toBe("close");
  const [uploaded] = await uploading.ended();
  expect([uploaded?.status, uploaded?.headers.get("connection")]).toEqual([200, "close"]);
  expect(uploaded?.text).toContain("the second half");
  // The request was not begun, so an answer and none are both right; half an answer would fail here.
  await partial.ended();
  expect(await scene.gateway.exited).toBe(0);
});
