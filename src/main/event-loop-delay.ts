import { monitorEventLoopDelay } from "node:perf_hooks";
import type { EventLoopDelay } from "../console-api/answer/administration.ts";

/** At this interval the timer's cost is too small to be measured under load. */
const SAMPLE_EVERY_MS = 100;
const WINDOW_MS = 10_000;
/** After this many windows without a reader the measurement stops: an idle gateway would wake up ten times a second for it. */
const WINDOWS_UNASKED = 6;
const NS_PER_MS = 1e6;

/**
 * Measures how late timers fire, over the last ten to twenty seconds, from the first question on and for as long as somebody asks. The
 * first answer knows nothing.
 */
export function watchEventLoop(): { current(): EventLoopDelay; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  let before = NOTHING;
  let unasked = 0;
  let timer: Timer | null = null;
  const read = (): EventLoopDelay => {
    if (histogram.count === 0) return NOTHING;
    return { mean: toMs(histogram.mean), p99: toMs(histogram.percentile(99)), max: toMs(histogram.max) };
  };
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    histogram.disable();
    histogram.reset();
    before = NOTHING;
  };
  const turn = (): void => {
    before = read();
    histogram.reset();
    unasked += 1;
    if (unasked > WINDOWS_UNASKED) stop();
  };
  return {
    current() {
      unasked = 0;
      if (timer === null) {
        histogram.enable();
        timer = setInterval(turn, WINDOW_MS);
        timer.unref();
      }
      return worseOf(before, read());
    },
    stop,
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
