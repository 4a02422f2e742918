import { expect, test } from "bun:test";
import { Registry } from "prom-client";
import { TalliedCounter } from "./tallied-counter.ts";

test("shows the sum of everything that was added, under its labels, however often it is read", async () => {
  const registry = new Registry();
  const counter = new TalliedCounter(registry, {
    name: "things_total",
    help: "Things.",
    labelNames: ["kind", "place"],
  });
  counter.add(1, "a", "here");
  counter.add(2, "a", "here");
  counter.add(5, "b", "there");
  const first = await registry.metrics();
  counter.add(4, "a", "here");
  const second = await registry.metrics();
  expect(first).toContain('things_total{kind="a",place="here"} 3');
  expect(second).toContain('things_total{kind="a",place="here"} 7');
  expect(second).toContain('things_total{kind="b",place="there"} 5');
});
