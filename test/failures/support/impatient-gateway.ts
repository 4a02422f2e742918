/** `camino serve` with short times where nobody configures any: for suites that would wait for half a minute otherwise. */
import { parseArgs } from "node:util";
import { serve } from "../../../src/main/serve.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean" },
    config: { type: "string" },
    port: { type: "string" },
    data: { type: "string" },
    database: { type: "string" },
  },
});

await serve(values, {
  env: process.env,
  version: "impatient",
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  timings: {
    breaker_pause_ms: 900,
    client: { head_ms: 600, stall_ms: 300, total_ms: 900, idle_ms: 75_000, unread_ms: 255_000 },
    drain_patience_ms: 500,
  },
});
