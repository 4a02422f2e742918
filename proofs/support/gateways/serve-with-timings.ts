import { parseArgs } from "node:util";
import { serve } from "../../../src/main/serve.ts";
import type { Timings } from "../../../src/main/timings.ts";

/** `camino serve` with the command's arguments, and with other values for times that no setting changes. */
export async function serveWithTimings(version: string, timings: Timings): Promise<void> {
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
    version,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    timings,
  });
}
