/** `camino serve` with short times that no setting changes, for suites that would otherwise wait for half a minute. */
import { TIMINGS } from "../../../src/main/timings.ts";
import { serveWithTimings } from "./serve-with-timings.ts";

await serveWithTimings("impatient", {
  ...TIMINGS,
  breaker_pause_ms: 900,
  client: { head_ms: 600, stall_ms: 300, total_ms: 900, idle_ms: 75_000, unread_ms: 255_000, beat_ms: 15_000 },
  drain_patience_ms: 500,
  traffic_every_ms: 30_000,
});
