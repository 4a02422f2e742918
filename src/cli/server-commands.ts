import type { Command } from "commander";
import { leafCommand } from "./shared/command.ts";
import type { CliDeps, ServeOptions, SimulateOptions } from "./shared/deps.ts";
import { readPort } from "./shared/read-arguments.ts";

const NAMES: readonly (string | undefined)[] = ["serve", "simulate"];

/** Whether a command line begins with `serve` or `simulate`. */
export function isServerCommand(first_word: string | undefined): boolean {
  return NAMES.includes(first_word);
}

/** Adds the commands that run until they are stopped. */
export function addServerCommands(program: Command, deps: CliDeps): void {
  leafCommand(program, "serve", "run the gateway")
    .option("--config <file>", "configuration file (default: CAMINO_CONFIG, else camino.yaml if there is one)")
    .option("--host <host>", "where to listen (default: CAMINO_HOST, else 127.0.0.1)")
    .option("--port <n>", "where to listen (default: CAMINO_PORT, else 8787)", readPort)
    .option(
      "--database <url>",
      "sqlite:PATH or postgres://… (default: CAMINO_DATABASE_URL, else in the data directory)",
    )
    .option("--data <dir>", "data directory (default: CAMINO_DATA, else ./data)")
    .option("--workers <n>", "processes that serve, or auto: one for each core (default: CAMINO_WORKERS, else 1)")
    .action((options: ServeOptions) => deps.serve(options));

  leafCommand(program, "simulate", "run a simulated vendor that speaks every upstream protocol")
    .option("--host <host>", "where to listen (default: 127.0.0.1)")
    .option("--port <n>", "where to listen (default: any free port)", readPort)
    .action((options: SimulateOptions) => deps.simulate(options));
}
