import { Command } from "commander";
import type { CliDeps } from "./deps.ts";
import { addServerCommands } from "./server-commands.ts";

/**
 * The `camino` command line. Nothing in it exits the process or writes but through its dependencies. `end` is told the
 * exit status of a command that printed its result and yet found something wrong.
 */
export async function buildProgram(deps: CliDeps, end: (status: number) => void): Promise<Command> {
  const program = buildServerProgram(deps);
  const { addAskingCommands } = await import("./asking-commands.ts");
  addAskingCommands(program, deps, end);
  return program;
}

/**
 * The command line with those commands alone that stay until they are stopped: a gateway need not hold the code of the
 * others, with the schemas of everything that they ask it, for as long as it runs.
 */
export function buildServerProgram(deps: CliDeps): Command {
  const program = new Command("camino")
    .description("Camino: a gateway to many hosted language models behind one API key, with exact billing.")
    .version(deps.version)
    // Inherited by the commands below, so it must come before they are made.
    .exitOverride()
    .configureOutput({ writeOut: deps.stdout, writeErr: deps.stderr })
    .showHelpAfterError("Add --help for what is allowed.");
  addServerCommands(program, deps);
  return program;
}
