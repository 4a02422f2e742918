import { Command } from "commander";
import { addAccountCommands } from "./account-commands.ts";
import { addCalibrateCommand } from "./calibrate-command.ts";
import { addCatalogCommands } from "./catalog-commands.ts";
import { addCheckCommand } from "./check-command.ts";
import { addCreditCommands } from "./credit-commands.ts";
import type { CliDeps } from "./deps.ts";
import { addDecideCommand } from "./decide-command.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { addKeyCommands } from "./key-commands.ts";
import { addModelsCommand } from "./models-command.ts";
import { addRequestCommand } from "./request-command.ts";
import { addServerCommands } from "./server-commands.ts";
import { addUsageCommand } from "./usage-command.ts";
import { addUserCommands } from "./user-commands.ts";

/**
 * The `camino` command line. Nothing in it exits the process or writes but through its dependencies. `end` is told the
 * exit status of a command that printed its result and yet found something wrong.
 */
export function buildProgram(deps: CliDeps, end: (status: number) => void): Command {
  const program = new Command("camino")
    .description("Camino: a gateway to many hosted language models behind one API key, with exact billing.")
    .version(deps.version)
    // Inherited by the commands below, so it must come before they are made.
    .exitOverride()
    .configureOutput({ writeOut: deps.stdout, writeErr: deps.stderr })
    .showHelpAfterError("Add --help for what is allowed.");
  addServerCommands(program, deps);
  addAccountCommands(program, deps);
  addCreditCommands(program, deps);
  addKeyCommands(program, deps);
  addUserCommands(program, deps);
  addModelsCommand(program, deps);
  addUsageCommand(program, deps);
  addRequestCommand(program, deps);
  addDoctorCommand(program, deps, end);
  addCheckCommand(program, deps);
  addCatalogCommands(program, deps);
  addDecideCommand(program, deps);
  addCalibrateCommand(program, deps);
  return program;
}
