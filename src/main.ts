import { version } from "../package.json";
import { runCli } from "./cli/run-cli.ts";
import type { CliDeps } from "./cli/shared/deps.ts";
import { systemClock } from "./core/clock.ts";
import type { Environment } from "./core/environment.ts";
import { loadServe } from "./main/built-gateway.ts";
import { IS_BINARY, startWithSettings } from "./main/one-binary.ts";
import { ownCommand } from "./main/own-command.ts";
import { runOwnProcess } from "./main/own-process.ts";
import { withOwnSecrets } from "./main/settings/secret-files.ts";
import { endWhileStarting } from "./main/shutdown.ts";
import { workerCount } from "./main/workers/worker-count.ts";

const words = process.argv.slice(2);
if (IS_BINARY && words[0] === "serve") startWithSettings(words, process.env);
if (words[0] === "serve") endWhileStarting((status) => process.exit(status));
const is_own_process = IS_BINARY && (await runOwnProcess(words[0]));

let read: Environment | undefined;
/** Read when first asked for: `camino --version` needs no secret. */
const environment = (): Environment => {
  read ??= withOwnSecrets(process.env);
  return read;
};
const stdout = (text: string): void => void process.stdout.write(text);
const stderr = (text: string): void => void process.stderr.write(text);

const deps: CliDeps = {
  version,
  get command() {
    return ownCommand(process.env);
  },
  get env() {
    return environment();
  },
  stdout,
  stderr,
  fetch,
  clock: systemClock,
  // Loaded on demand: most commands only talk to a running gateway, and should start at once.
  serve: async (options) => {
    const env = environment();
    const context = { env, version, stdout, stderr };
    const workers = workerCount(options, env);
    if (workers === 1) await (await loadServe()).serve(options, context);
    // Its workers read the files of secrets themselves, those that take others' places anew.
    else await (await import("./main/supervise.ts")).supervise(options, context, { workers, given: process.env });
    // Everything is settled and closed. The runtime may still wait for a vendor's host that neither accepts nor refuses
    // a connection: such an attempt cannot be cancelled, and the system gives it two minutes.
    setTimeout(() => process.exit(), 1000).unref();
  },
  simulate: async (options) => (await import("./main/simulate.ts")).simulate(options, { stdout, stderr }),
  readConfiguration: async (options) =>
    (await import("./main/read-only-access.ts")).findConfiguration(options, environment()),
  openBooks: async (options) => (await import("./main/read-only-access.ts")).openBooksFor(options, environment()),
  databaseTools: async () => (await import("./main/database-tools.ts")).databaseTools(environment()),
  cellTools: async (options) => (await import("./main/cell-tools.ts")).cellTools(options, environment()),
};

if (!is_own_process) process.exitCode = await runCli(words, deps);
