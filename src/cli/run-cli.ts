import { CommanderError } from "commander";
import { buildProgram, buildServerProgram } from "./program.ts";
import { isServerCommand } from "./server-commands.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs one command line (without the program's name) and returns the exit status: 0 done, 1 refused or failed, 2 wrong
 * usage. Never throws: a failure is one sentence on stderr and, with `--json`, an error document on stdout.
 */
export async function runCli(arguments_: readonly string[], deps: CliDeps): Promise<number> {
  let status = DONE;
  const end = (other: number): void => {
    status = other;
  };
  const program = isServerCommand(arguments_[0]) ? buildServerProgram(deps) : await buildProgram(deps, end);
  try {
    await program.parseAsync(arguments_, { from: "user" });
    return status;
  } catch (thrown) {
    // Commander has printed its sentence already. Requested help counts as success.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? DONE : WRONG_USAGE;
    const failure = toFailure(thrown);
    deps.stderr(`camino: ${failure.message}\n`);
    if (arguments_.includes("--json")) deps.stdout(`${JSON.stringify(failure.body)}\n`);
    return FAILED;
  }
}

function toFailure(thrown: unknown): CliFailure {
  if (thrown instanceof CliFailure) return thrown;
  return new CliFailure(thrown instanceof Error ? thrown.message : String(thrown), { code: "failed", cause: thrown });
}
