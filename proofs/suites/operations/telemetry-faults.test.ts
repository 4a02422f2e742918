import { describe, expect, test } from "bun:test";
import { Caller } from "../../support/calls.ts";
import { OtlpReceiver, type ReceiverMood } from "../../support/otlp-receiver.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** A collector that is away, slow, full or refuses costs no call anything, and what it did not get is counted (docs/rulings.md 186). */

const MODELS = { "acme/echo": { upstream_model: "echo" } };
/** Above what goes into a batch. */
const CALLS = 120;

function startScene(endpoint: string): Promise<SimulatedGateway> {
  return startSimulatedGateway({ models: MODELS, sections: { telemetry: { otlp: { endpoint, logs: true } } } });
}

async function callOften({ gateway }: SimulatedGateway): Promise<Caller> {
  const caller = new Caller(gateway, (await gateway.newKey({ credit: "500", rpm: 100_000, concurrent: 200 })).key);
  const answers = await Promise.all(Array.from({ length: CALLS }, () => caller.generate("chat", "acme/echo")));
  expect(answers.map(({ status }) => status)).toEqual(new Array(CALLS).fill(200));
  return caller;
}

async function metricOf({ gateway }: SimulatedGateway, sample: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${sample} `));
  return line === undefined ? 0 : Number(line.slice(sample.length));
}

const FAILED = 'camino_telemetry_dropped_total{signal="traces",reason="failed"}';

describe("no call waits or fails, and the gateway ends, while a collector", () => {
  const MOODS: readonly (readonly [what: string, mood: ReceiverMood | "away"])[] = [
    ["is away", "away"],
    ["says nothing", "nothing"],
    ["is full", "full"],
    ["refuses all", "refuses"],
    ["answers without an end", "trickles"],
  ];
  test.each(MOODS)("%s", async (_what, mood) => {
    await using collector = new OtlpReceiver();
    if (mood !== "away") collector.mood = mood;
    const scene = await startScene(mood === "away" ? "http://127.0.0.1:1" : collector.url);
    try {
      await callOften(scene);
      if (mood !== "away") await collector.until(() => collector.exports > 0);
      // One export of a kind is on its way at a time, also while none comes back.
      if (mood === "nothing") expect(collector.exports).toBeLessThanOrEqual(2);
      expect(await scene.gateway.stop()).toBe(0);
    } finally {
      await scene[Symbol.asyncDispose]();
    }
    expect(scene.gateway.log()).toContain("OpenTelemetry's collector does not take what it is sent");
  });
});

test("what a collector refuses is counted, and it gets the calls after it has come to its senses", async () => {
  await using collector = new OtlpReceiver();
  collector.mood = "refuses";
  await using scene = await startScene(collector.url);
  const caller = await callOften(scene);
  while ((await metricOf(scene, FAILED)) < CALLS) await Bun.sleep(50);
  expect(await metricOf(scene, FAILED)).toBe(CALLS);
  collector.mood = "takes";
  const answer = await caller.generate("chat", "acme/echo");
  expect(await collector.trace(answer.headers.get("x-camino-request-id") ?? "")).toHaveLength(4);
  expect(collector.spans.every(({ trace_id }) => trace_id.length === 32)).toBeTrue();
});

test("nothing is loaded and nothing is sent where no collector is configured", async () => {
  await using scene = await startSimulatedGateway({ models: MODELS });
  await callOften(scene);
  const text = await (await fetch(`${scene.gateway.url}/metrics`)).text();
  expect(text).not.toContain("camino_telemetry_waiting");
  expect(scene.simulator.log.requests.at(-1)?.headers).not.toHaveProperty("traceparent");
});
