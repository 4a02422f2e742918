import { expect, test } from "bun:test";
import { Histogram, Registry } from "prom-client";
import { TalliedHistogram } from "./tallied-histogram.ts";

test("shows to the byte what the library's own histogram shows", async () => {
  const options = { name: "work_seconds", help: "Work.", buckets: [0.005, 0.025, 1] };
  const [ours, theirs] = [new Registry(), new Registry()];
  const tallied = new TalliedHistogram(ours, { ...options, label: "place" });
  const reference = new Histogram({ ...options, labelNames: ["place"], registers: [theirs] });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const value of [0, 0.005, 0.0050001, 0.024, 0.025, 1, 1.5, 300]) {
    for (const place of ["here", 'odd "place"\n']) {
      tallied.add(value, place);
      reference.observe({ place }, value);
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  }
  expect(await ours.metrics()).toContain('work_seconds_bucket{le="0.025",place="here"} 5');
});
