/** Time as a dependency: rooms receive a clock, so that tests can move it. */
export interface Clock {
  /** Wall-clock time, milliseconds since the epoch. */
  now_ms(): number;
  /** Monotonic time in milliseconds, with fractions; only for measuring durations. */
  monotonic_ms(): number;
}

/** A day of UTC, which has no other length. */
export const MS_PER_DAY = 86_400_000;

export const systemClock: Clock = {
  now_ms: () => Date.now(),
  monotonic_ms: () => performance.now(),
};
