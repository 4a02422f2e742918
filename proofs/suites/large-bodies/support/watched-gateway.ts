/**
 * `camino serve` that also measures the slices of its serving thread, and tells the longest since the last question at a
 * port whose number is in the file `slices` of its data directory.
 */
import { TIMINGS } from "../../../../src/main/timings.ts";
import { serveWithTimings } from "../../../support/gateways/serve-with-timings.ts";
import { SliceWatch } from "./slice-watch.ts";

const watch = new SliceWatch();
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(watch.take()) });
await Bun.write("slices", String(server.port));
await serveWithTimings("watched", TIMINGS);
process.exit(0);
