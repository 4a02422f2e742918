import { expect, test } from "bun:test";
import { Gauge, Registry } from "prom-client";
import { Metrics } from "./metrics.ts";

test("a gauge is read when the metrics are read", async () => {
  let value = 3;
  const registry = new Registry();
  const reference = new Gauge({ name: "waiting", help: "What waits.", registers: [registry] });
  const metrics = new Metrics();
  metrics.gauge("waiting", "What waits.", () => value);
  for (value of [3, 0, -1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    reference.set(value);
    expect(metrics.write()).toEndWith(`\n\n${await registry.metrics()}`);
  }
});

test("each metric has its head before its first measurement", () => {
  const metrics = new Metrics();
  const heads = metrics.write().match(/^# TYPE \w+ (counter|histogram)$/gm) ?? [];
  expect(heads.map((line) => line.split(" ")[2] ?? "")).toEqual(metrics.names);
  expect(metrics.names.length).toBeGreaterThan(5);
});
