import { readFileSync } from "node:fs";
import { runCli } from "./cli/run-cli.ts";
import { systemClock } from "./core/clock.ts";
import { loadServe } from "./main/built-gateway.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const { env } = process;
const stdout = (text: string): void => void process.stdout.write(text);
const stderr = (text: string): void => void process.stderr.write(text);

process.exitCode = await runCli(process.argv.slice(2), {
  version,
  env,
  stdout,
  stderr,
  fetch,
  clock: systemClock,
  // Loaded on demand: most commands only talk to a running gateway, and should start at once.
  serve: async (options) => {
    await (await loadServe()).serve(options, { env, version, stdout, stderr });
    // Everything is settled and closed. The runtime may still wait for a vendor's host that neither accepts nor refuses
    // a connection: such an attempt cannot be cancelled, and the system gives it two minutes.
    setTimeout(() => process.exit(), 1000).unref();
  },
  simulate: async (options) => (await import("./main/simulate.ts")).simulate(options, { stdout, stderr }),
  readConfiguration: async (options) => (await import("./main/read-only-access.ts")).findConfiguration(options, env),
  openBooks: async (options) => (await import("./main/read-only-access.ts")).openBooksFor(options, env),
  databaseTools: async () => (await import("./main/database-tools.ts")).databaseTools(env),
});
