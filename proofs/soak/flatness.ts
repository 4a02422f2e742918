import { percentile, type Sample } from "./sample.ts";

/** The first fifth of the samples is the warm-up: code is compiled, heaps grow to their size, caches fill. */
const WARM_UP = 0.2;
/** With fewer samples after the warm-up, nothing can be said. */
const FEWEST = 6;
const MIB = 2 ** 20;

/** A figure that must not grow: its last third is compared with its first. */
interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly of: (sample: Sample) => number;
  /** How far the last third's median may be above the first's. */
  readonly allowed: (before: number) => number;
}

/**
 * Collections of garbage move the memory by some 20 MiB from sample to sample; a leak of 200 bytes a call is 40 MiB after the
 * 200,000 calls of an hour. The latency is that of the quickest tenth of the probe's calls: what gets slower with time is slower each
 * time, and what the machine does besides is not.
 */
const FIGURES: readonly Figure[] = [
  { name: "memory", unit: "MiB", of: ({ memory_bytes }) => memory_bytes / MIB, allowed: (before) => 40 + before * 0.1 },
  { name: "file handles", unit: "handles", of: ({ handles }) => handles, allowed: () => 32 },
  { name: "latency", unit: "ms", of: ({ low_ms }) => low_ms, allowed: (before) => 10 + before },
  {
    name: "processor time",
    unit: "ms a call",
    of: (sample) => sample.cpu_ms_per_call,
    allowed: (before) => 1 + before * 0.5,
  },
];

/** What became of a figure over the run. */
export interface Course {
  readonly name: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  readonly is_flat: boolean;
}

/** The courses of all figures; none where the run was too short. */
export function coursesOf(samples: readonly Sample[]): Course[] {
  const warm = samples.slice(Math.max(1, Math.floor(samples.length * WARM_UP)));
  if (warm.length < FEWEST) return [];
  const third = Math.floor(warm.length / 3);
  return FIGURES.map(({ name, unit, of, allowed }) => {
    const before = percentile(warm.slice(0, third).map(of), 0.5);
    const after = percentile(warm.slice(-third).map(of), 0.5);
    return { name, unit, before, after, is_flat: after - before <= allowed(before) };
  });
}

/** A course as a line for people. */
export function courseLine({ name, unit, before, after, is_flat }: Course): string {
  return `${name.padEnd(15)} ${before.toFixed(1)} → ${after.toFixed(1)} ${unit}: ${is_flat ? "flat" : "IT GROWS"}`;
}
