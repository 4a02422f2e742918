/** `camino serve` with a fraction of the clients' deadlines, for suites that would otherwise wait for minutes. */
import { TIMINGS } from "../../../src/main/timings.ts";
import { serveWithTimings } from "./serve-with-timings.ts";

await serveWithTimings("hurried", {
  ...TIMINGS,
  breaker_pause_ms: 900,
  client: { head_ms: 600, stall_ms: 300, total_ms: 900, idle_ms: 700, unread_ms: 1000, beat_ms: 60_000 },
  drain_patience_ms: 500,
  traffic_every_ms: 30_000,
});
