import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Caller } from "../../support/calls.ts";
import { drawTrace } from "../../support/draw-trace.ts";
import { OtlpReceiver, plain, type ReceivedSpan } from "../../support/otlp-receiver.ts";
import { type SimulatedGateway, startSimulatedGateway, VENDOR_KEY } from "../../support/simulated-gateway.ts";

/**
 * What a collector of OpenTelemetry gets of a gateway's calls (docs/rulings.md 186). The collector reads protobuf by the published numbers, with nothing
 * of the exporter's.
 */

const CANARY = "canary-7f3a9c";
const MODELS = {
  "acme/echo": { upstream_model: `echo` },
  "acme/falls": { upstream_model: "fail-500", fallbacks: ["chatty/spare"] },
  "chatty/spare": { upstream_model: "echo" },
  "acme/down": { upstream_model: "fail-500@case=down" },
  "acme/breaks": { upstream_model: "cut-mid@case=breaks" },
};

let collector: OtlpReceiver;
let scene: SimulatedGateway;
let caller: Caller;

beforeAll(async () => {
  collector = new OtlpReceiver();
  const headers = { "X-Collector-Key": "for the collector alone" };
  const otlp = { endpoint: collector.url, headers, logs: true, forward_traceparent: true };
  scene = await startSimulatedGateway({ models: MODELS, sections: { telemetry: { otlp } } });
  caller = new Caller(scene.gateway, (await scene.gateway.newKey({ credit: "5" })).key);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

const names = (spans: readonly ReceivedSpan[]) => spans.map(({ name }) => name);
const idOf = ({ headers }: { readonly headers: Headers }) => headers.get("x-camino-request-id") ?? "";

test("a call is a span with its admission, its vendor and its settlement inside", async () => {
  const answer = await caller.generate("chat", "acme/echo");
  const spans = await collector.trace(idOf(answer));
  expect(names(spans)).toEqual(["chat acme/echo", "admission", "vendor acme", "settlement"]);
  const [call, admission, vendor, settlement] = spans as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan];
  const receipt = await caller.get(`/v1/requests/${idOf(answer)}`);
  const { input_tokens, output_tokens } = (answer.json.usage ?? {}) as Record<string, number>;
  expect(call).toMatchObject({ kind: 2, resource: { "service.name": "camino" } });
  expect(call.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "acme",
    "gen_ai.request.model": "acme/echo",
    "gen_ai.response.model": "echo",
    "http.response.status_code": 200,
    "camino.endpoint": "chat.completions",
    "camino.request_id": idOf(answer),
  });
  expect(Number(call.attributes["camino.hold_micro"])).toBeGreaterThan(Number(call.attributes["camino.charge_micro"]));
  expect(JSON.stringify(receipt.json)).toContain(String(call.attributes["camino.charge_micro"]));
  if (input_tokens !== undefined) expect(call.attributes["gen_ai.usage.input_tokens"]).toBe(input_tokens);
  if (output_tokens !== undefined) expect(call.attributes["gen_ai.usage.output_tokens"]).toBe(output_tokens);
  expect(vendor).toMatchObject({ kind: 3, attributes: { "http.response.status_code": 200 } });
  expect(settlement.attributes).toMatchObject({ "camino.outcome": "settled" });
  for (const { start, end } of spans)
    expect([start >= call.start, end <= call.end, start <= end]).toEqual([true, true, true]);
  expect(admission.end <= vendor.start && vendor.end <= settlement.start).toBeTrue();
});

test("a stream's vendor lasts until the settlement", async () => {
  const answer = await caller.generate("messages", "acme/echo", { stream: true });
  const [call, , vendor, settlement] = await collector.trace(idOf(answer));
  expect(call?.name).toBe("chat acme/echo");
  expect(vendor?.end).toBe(settlement?.start as bigint);
});

test("a fallback is a second vendor in the same call", async () => {
  const answer = await caller.generate("chat", "acme/falls");
  expect(answer.status).toBe(200);
  const spans = await collector.trace(idOf(answer));
  expect(names(spans).filter((name) => name.startsWith("vendor"))).toEqual(["vendor acme", "vendor chatty"]);
  const [failed, spare] = spans.filter(({ name }) => name.startsWith("vendor"));
  expect(failed).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "provider_error" } });
  expect(spare?.status?.code ?? 0).toBe(0);
  expect(spans[0]).toMatchObject({ attributes: { "gen_ai.provider.name": "chatty" } });
  expect(spans[0]?.status?.code ?? 0).toBe(0);
  // The recipe shows this trace: its figures are those of the machine that it was drawn on.
  const recipe = await Bun.file(join(import.meta.dir, "../../../docs/how-to/trace-calls.md")).text();
  const withoutFigures = (text: string) =>
    text
      .replaceAll(/\d+(\.\d)?/g, "N")
      .replaceAll(/ +/g, " ")
      .replaceAll(/^ /gm, "");
  const [, shown = ""] = /```text\n(.*?)```/s.exec(recipe) ?? [];
  const drawn = drawTrace(spans);
  if (withoutFigures(shown) !== withoutFigures(drawn)) console.log(drawn);
  expect(withoutFigures(shown)).toBe(withoutFigures(drawn));
});

describe("a call that fails", () => {
  test("is marked, with the code that the client got", async () => {
    const answer = await caller.generate("chat", "acme/down");
    const spans = await collector.trace(idOf(answer));
    expect(spans[0]).toMatchObject({ status: { code: 2 }, attributes: { "error.type": answer.error.code } });
    expect(spans.at(-1)).toMatchObject({ name: "settlement", attributes: { "camino.outcome": "voided" } });
  });

  test("in the middle of a stream is marked as well", async () => {
    const answer = await caller.generate("chat", "acme/breaks", { stream: true });
    const spans = await collector.trace(idOf(answer));
    expect(spans.find(({ name }) => name === "vendor acme")).toMatchObject({ status: { code: 2 } });
    expect(spans[0]).toMatchObject({ status: { code: 2 } });
  });

  const REFUSED: readonly [what: string, key: string | null, model: string, status: number][] = [
    ["by its key", "cm-no-such-key", "acme/echo", 401],
    ["by its model", null, `no-such-${CANARY}`, 404],
  ];
  test.each(REFUSED)("is refused %s without a vendor's span", async (_what, key, model, status) => {
    const answer = await new Caller(scene.gateway, key ?? caller.key).generate("chat", model);
    expect(answer.status).toBe(status);
    const spans = await collector.trace(idOf(answer));
    expect(names(spans)).toEqual(["chat", "admission"]);
    expect(spans[1]).toMatchObject({ status: { code: 2 } });
    // A server's span is not at fault for what a client did.
    expect(spans[0]?.status?.code ?? 0).toBe(0);
  });
});

describe("a caller's trace", () => {
  const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  const PARENT = "00f067aa0ba902b7";

  test("goes on, and the vendor's parent is the attempt", async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "acme=1,other=2" };
    const answer = await caller.generate("chat", "acme/echo", {}, headers);
    const [call, , vendor] = await collector.trace(idOf(answer));
    expect(call).toMatchObject({ trace_id: TRACE, parent_span_id: PARENT, trace_state: "acme=1,other=2" });
    expect(vendor).toMatchObject({ trace_id: TRACE, parent_span_id: call?.span_id });
    const told = scene.simulator.log.requests.at(-1)?.headers;
    expect(told).toMatchObject({ traceparent: `00-${TRACE}-${vendor?.span_id}-01`, tracestate: "acme=1,other=2" });
  });

  test("that is not recorded is not recorded here, and goes on", async () => {
    const trace_id = TRACE.replace("4b", "4c");
    await caller.generate("chat", "acme/echo", {}, { traceparent: `00-${trace_id}-${PARENT}-00` });
    expect(scene.simulator.log.requests.at(-1)?.headers.traceparent).toMatch(new RegExp(`^00-${trace_id}-.*-00$`));
    await collector.trace(idOf(await caller.generate("chat", "acme/echo")));
    expect(collector.spans.some((span) => span.trace_id === trace_id)).toBeFalse();
  });

  test.each([
    ["of zeros", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["of a forbidden version", `ff-${TRACE}-${PARENT}-01`],
    ["with more than its version has", `00-${TRACE}-${PARENT}-01-x`],
    ["in capitals", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["that is a text", CANARY],
  ])("%s is none", async (_what, traceparent) => {
    const answer = await caller.generate("chat", "acme/echo", {}, { traceparent, tracestate: CANARY });
    const [call] = await collector.trace(idOf(answer));
    expect(call?.parent_span_id ?? "").toBe("");
    expect(call?.trace_id).not.toBe(TRACE);
  });
});

test("lines of the log come with their level and their request", async () => {
  const answer = await caller.generate("chat", "acme/echo");
  const line = await collector.until(() =>
    collector.logs.find(({ attributes }) => attributes["camino.request_id"] === idOf(answer)),
  );
  expect(line).toMatchObject({ severity: 9, severity_text: "INFO", body: { string: "request finished" } });
});

test("nothing that a client or a vendor wrote, and no credential, reaches the collector", async () => {
  const text = `${CANARY} prompt`;
  const headers = { "x-request-id": `${CANARY}-id`, "x-camino-tags": `{"team":"${CANARY}"}`, "user-agent": CANARY };
  for (const model of ["acme/echo", "acme/down", "acme/breaks"])
    for (const stream of [false, true])
      await caller.post(
        "/v1/chat/completions",
        { model, stream, user: CANARY, messages: [{ role: "user", content: text }] },
        headers,
      );
  const last = await caller.generate("chat", "acme/echo");
  await collector.trace(idOf(last));
  const all = Buffer.concat(collector.bodies).toString("latin1");
  for (const secret of [CANARY, VENDOR_KEY, caller.key, "for the collector alone"]) expect(all).not.toContain(secret);
  expect(collector.headers[0]?.get("x-collector-key")).toBe("for the collector alone");
});

test("what waits is sent when the gateway ends, and the metrics once more", async () => {
  const { key } = await scene.gateway.newKey({ credit: "1" });
  const answer = await new Caller(scene.gateway, key).generate("chat", "acme/echo");
  expect(await scene.gateway.stop()).toBe(0);
  expect((await collector.trace(idOf(answer))).length).toBe(4);
  const overhead = await collector.until(() =>
    collector.metrics.find(({ name }) => name === "camino_overhead_seconds"),
  );
  const { points } = overhead.histogram as { points: { count: bigint; buckets: bigint[] }[] };
  expect(points.map((point) => plain({ ...point }).part).toSorted()).toEqual(["answer", "request", "settlement"]);
  for (const { count, buckets } of points) expect(buckets.reduce((sum, hits) => sum + hits, 0n)).toBe(count);
  expect(collector.metrics.find(({ name }) => name === "camino_charged_micro_total")).toMatchObject({
    sum: { temporality: 2, is_monotonic: true },
  });
});
