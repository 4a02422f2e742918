import { Command } from "commander";
import { addServerCommands } from "./server-commands.ts";
import type { CliDeps } from "./shared/deps.ts";

/**
 * The `camino` command line. It writes only through its dependencies and never exits the process. A command that prints
 * its result and yet finds something wrong passes the exit status to `end`.
 */
export async function buildProgram(deps: CliDeps, end: (status: number) => void): Promise<Command> {
  const program = buildServerProgram(deps);
  const { addGatewayCommands } = await import("./gateway-commands.ts");
  addGatewayCommands(program, deps, end);
  return program;
}

/**
 * The command line with only the commands that run until they are stopped, so that a running gateway does not keep the
 * code and schemas of the other commands in memory.
 */
export function buildServerProgram(deps: CliDeps): Command {
  const program = new Command("camino")
    .description("Camino: a gateway to many hosted language models behind one API key, with exact billing.")
    .version(deps.version)
    // Commands inherit this setting when they are made, so it comes before them.
    .exitOverride()
    .configureOutput({ writeOut: deps.stdout, writeErr: deps.stderr })
    .allowExcessArguments()
    .hook("preAction", (_program, command) => refuseExcess(command))
    .showHelpAfterError("Add --help for what is allowed.");
  addServerCommands(program, deps);
  return program;
}

/** The parser itself would only say how many arguments there are too many. */
function refuseExcess(command: Command): void {
  const { registeredArguments: expected, args } = command;
  if (expected.at(-1)?.variadic) return;
  const excess = args.slice(expected.length);
  if (excess.length === 0) return;
  const found = excess.map((word) => `'${word}'`).join(", ");
  command.error(
    `error: '${command.name()}' takes no argument ${found}; allowed: ${expected.length} arguments, and its options`,
  );
}
