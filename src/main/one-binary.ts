import type { Environment } from "../core/environment.ts";

/**
 * The differences of a gateway in one executable file (docs/adr/0041): its modules and the console's files are inside the file, in a folder
 * that only its own process sees.
 */
const INSIDE = "/$bunfs/";

/** Whether this code runs from inside the one executable file. */
export const IS_BINARY = import.meta.dir.startsWith(INSIDE);

/** Settings that Bun and JavaScriptCore read before a program runs; `bin/camino` and `bin/camino-bun` give the reasons. */
export const BEFORE_THE_START = {
  BUN_JSC_forceRAMSize: "536870912",
  BUN_JSC_smallHeapSize: "8388608",
  BUN_JSC_forceCodeBlockLiveness: "1",
  BUN_GC_TIMER_INTERVAL: "5000",
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "1000",
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  DO_NOT_TRACK: "1",
};

/**
 * Starts this program again in the place of this process, with the runtime's settings, as the launcher of the other forms does.
 * Returns where they are set already.
 */
export function startWithSettings(words: readonly string[], env: Environment): void {
  const missing = Object.entries(BEFORE_THE_START).filter(([name]) => env[name] === undefined);
  if (missing.length === 0 || process.execve === undefined) return;
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  process.execve(process.execPath, [process.execPath, ...words], Object.fromEntries([...given, ...missing]));
}
