import { monitorEventLoopDelay } from "node:perf_hooks";
import type { EventLoopDelay } from "../console-api/administration.ts";

/** At this interval the timer's cost is too small to be measured. */
const SAMPLE_EVERY_MS = 100;
const WINDOW_MS = 10_000;
const NS_PER_MS = 1e6;

/** Measures how late timers fire, over the last ten to twenty seconds. */
export function watchEventLoop(): { current(): EventLoopDelay; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  let before = NOTHING;
  const read = (): EventLoopDelay => {
    if (histogram.count === 0) return NOTHING;
    return { mean: toMs(histogram.mean), p99: toMs(histogram.percentile(99)), max: toMs(histogram.max) };
  };
  histogram.enable();
  const timer = setInterval(() => {
    before = read();
    histogram.reset();
  }, WINDOW_MS);
  return {
    current: () => worseOf(before, read()),
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const NOTHING: EventLoopDelay = { mean: null, p99: null, max: null };

/** The worse of the last two windows, as a window that has just begun says little. */
function worseOf(a: EventLoopDelay, b: EventLoopDelay): EventLoopDelay {
  return (a.p99 ?? 0) > (b.p99 ?? 0) ? a : b;
}

function toMs(duration_ns: number): number {
  return Math.round((duration_ns / NS_PER_MS) * 100) / 100;
}
