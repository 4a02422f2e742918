import { readFileSync } from "node:fs";
import { runCli } from "./cli/run-cli.ts";
import { systemClock } from "./core/clock.ts";
import { findConfiguration, openStoreFor } from "./main/look-around.ts";
import { serve } from "./main/serve.ts";
import { simulate } from "./main/simulate.ts";

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
  serve: (options) => serve(options, { env, version, stdout, stderr }),
  simulate: (options) => simulate(options, { stdout, stderr }),
  readConfiguration: (options) => findConfiguration(options, env),
  openStore: (options) => openStoreFor(options, env),
});
