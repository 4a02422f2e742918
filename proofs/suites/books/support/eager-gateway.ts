/** `camino serve` that looks after its books every half second, for suites that would otherwise wait for half a minute. */
import { TIMINGS } from "../../../../src/main/timings.ts";
import { serveWithTimings } from "../../../support/gateways/serve-with-timings.ts";

await serveWithTimings("eager", { ...TIMINGS, upkeep_every_ms: 500 });
