/** `camino serve` that looks several times a second for what is to be told and sent, for suites that would otherwise wait for it. */
import { TIMINGS } from "../../../src/main/timings.ts";
import { serveWithTimings } from "./serve-with-timings.ts";

await serveWithTimings("eager", {
  ...TIMINGS,
  alerts_every_ms: 300,
  breaker_pause_ms: 1000,
  traffic_every_ms: 500,
  upkeep_every_ms: 1000,
  deliveries: { every_ms: 200, first_wait_ms: 500 },
});
