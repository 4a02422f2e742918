import { expect, test } from "bun:test";
import { Counter as ReferenceCounter, Registry } from "prom-client";
import { Counter } from "./counter.ts";

test("a counter is written as by the reference implementation", async () => {
  const options = { name: "things_total", help: "Things\nand \\ more." };
  const counter = new Counter({ ...options, labels: ["kind", "place"] });
  const registry = new Registry();
  const reference = new ReferenceCounter({ ...options, labelNames: ["kind", "place"], registers: [registry] });
  expect(counter.write()).toBe(await registry.metrics());
  for (const [value, kind, place] of [
    [1, "a", "here"],
    [2, "a", "here"],
    [5, "b", "there"],
    [0.25, 'odd "kind"\n\\', "there"],
    [4, "a", "here"],
  ] as const) {
    counter.add(value, kind, place);
    reference.inc({ kind, place }, value);
    expect(counter.write()).toBe(await registry.metrics());
  }
  expect(counter.write()).toContain('things_total{kind="a",place="here"} 7');
});

test("a counter with one label is written without a second label", () => {
  const counter = new Counter({ name: "things_total", help: "Things.", labels: ["kind"] });
  counter.add(3, "a");
  expect(counter.write()).toBe('# HELP things_total Things.\n# TYPE things_total counter\nthings_total{kind="a"} 3\n');
});
