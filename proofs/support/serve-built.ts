/** `camino serve` from the gateway's built form, never from the sources. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builtFolder } from "../../src/main/built-gateway.ts";
import type { serve as Serve } from "../../src/main/serve.ts";

const { values } = parseArgs({
  options: { json: { type: "boolean" }, port: { type: "string" }, data: { type: "string" } },
});
const { serve }: { serve: typeof Serve } = await import(join(builtFolder(), "serve.js"));

await serve(values, {
  env: process.env,
  version: "built",
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
});
