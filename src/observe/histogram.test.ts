import { expect, test } from "bun:test";
import { Histogram as ReferenceHistogram, Registry } from "prom-client";
import { Histogram } from "./histogram.ts";

test("a histogram is written byte for byte as by the reference implementation", async () => {
  const options = { name: "work_seconds", help: "Work.", buckets: [0.005, 0.025, 1] };
  const histogram = new Histogram({ ...options, label: "place" });
  const registry = new Registry();
  const reference = new ReferenceHistogram({ ...options, labelNames: ["place"], registers: [registry] });
  expect(histogram.write()).toBe(await registry.metrics());
  for (const value of [0, 0.005, 0.0050001, 0.024, 0.025, 1, 1.5, 300]) {
    for (const place of ["here", 'odd "place"\n']) {
      histogram.add(value, place);
      reference.observe({ place }, value);
    }
    expect(histogram.write()).toBe(await registry.metrics());
  }
  expect(histogram.write()).toContain('work_seconds_bucket{le="0.025",place="here"} 5');
});
