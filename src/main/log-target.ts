import type { ServeOptions } from "./settings.ts";

/** Where the log goes. With `--json`, stdout has one JSON document only, so the log goes to stderr. */
export function logTarget(options: Pick<ServeOptions, "json">): "stdout" | "stderr" | "terminal" {
  if (options.json) return "stderr";
  return process.stdout.isTTY ? "terminal" : "stdout";
}
