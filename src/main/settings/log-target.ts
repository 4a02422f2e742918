import type { ServeOptions } from "../../cli/shared/deps.ts";

/** The stream that the log goes to. With `--json`, stdout has one JSON document only, so the log goes to stderr. */
export function logTarget(options: Pick<ServeOptions, "json">): "stdout" | "stderr" | "terminal" {
  if (options.json) return "stderr";
  return process.stdout.isTTY ? "terminal" : "stdout";
}
