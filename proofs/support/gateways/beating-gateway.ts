/** `camino serve` that tells waiting clients often that their answers are still being made. */
import { TIMINGS } from "../../../src/main/timings.ts";
import { serveWithTimings } from "./serve-with-timings.ts";

await serveWithTimings("beating", { ...TIMINGS, client: { ...TIMINGS.client, beat_ms: 200 } });
