/** Time as a dependency: rooms take a clock, so tests can move it. */
export interface Clock {
  /** Wall-clock time, milliseconds since the epoch. */
  now_ms(): number;
  /** Monotonic time in milliseconds, with fractions, for measuring durations only. */
  monotonic_ms(): number;
}

export const systemClock: Clock = {
  now_ms: () => Date.now(),
  monotonic_ms: () => performance.now(),
};
