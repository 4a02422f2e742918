/** `camino serve` that gives clients a fraction of their time: for suites that would wait for minutes otherwise. */
import { serveWithTimings } from "../../failures/support/serve-with-timings.ts";

await serveWithTimings("hurried", {
  breaker_pause_ms: 900,
  client: { head_ms: 600, stall_ms: 300, total_ms: 900, idle_ms: 700, unread_ms: 1000 },
  drain_patience_ms: 500,
});
