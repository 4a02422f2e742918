import { basename, join } from "node:path";

/**
 * Loaded before the tests of a run of all suites: what a test starts as a thread of the gateway comes from the gateway's built form, as in a
 * gateway. A store in a test's own process has two or three such threads, each of which would compile all of its modules from their sources:
 * half of what opening a database costs. Drills, and runs with a pattern, start the threads from the sources.
 */
const BUILT = process.env.TEST_BUILT_GATEWAY ?? "";
if (BUILT === "") throw new Error("TEST_BUILT_GATEWAY names the folder of the built form");

/** Modules that are threads (`WORKERS` in scripts/build-gateway.ts), by their addresses among the sources. */
const THREAD = /\/src\/(store\/sqlite\/database-worker|pipeline\/usage\/tokenizer-worker|main\/body-worker)\.ts$/;

globalThis.Worker = class extends globalThis.Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(THREAD.test(String(url)) ? join(BUILT, basename(String(url))) : url, options);
  }
};
