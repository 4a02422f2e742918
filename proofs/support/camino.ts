import { runCli } from "../../src/cli/run-cli.ts";
import { systemClock } from "../../src/core/clock.ts";
import { COMPILES_LESS, caminoCommand } from "./camino-command.ts";

/** The result of a command. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input. Default: empty. Only for a process of its own. */
  readonly stdin?: string;
}

/** Runs `camino` in a process of its own, with these words and without the test's environment. */
export async function runCamino(words: readonly string[], options: RunOptions): Promise<Ran> {
  const child = Bun.spawn([caminoCommand(), ...words], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? "", ...COMPILES_LESS, ...options.env },
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, stdout, stderr };
}

let running_here = false;

/**
 * Runs a command line in the test's own process, to test its requests, output and status where another test runs the
 * real process. Starting a process takes a third of a second of a core, nearly all of the cost of most commands.
 * One at a time, because a process has one working directory.
 */
export async function runHere(words: readonly string[], { cwd, env = {} }: RunOptions): Promise<Ran> {
  if (running_here) throw new Error("a command runs here already");
  running_here = true;
  const left = process.cwd();
  process.chdir(cwd);
  let stdout = "";
  let stderr = "";
  try {
    const status = await runCli(words, {
      version: "here",
      command: "camino",
      env,
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
      fetch,
      clock: systemClock,
      serve: onlyInAProcess,
      simulate: onlyInAProcess,
      readConfiguration: onlyInAProcess,
      openBooks: async (asked) => (await import("../../src/main/read-only-access.ts")).openBooksFor(asked, env),
      databaseTools: async () => (await import("../../src/main/database-tools.ts")).databaseTools(env),
      cellTools: async (asked) => (await import("../../src/main/cell-tools.ts")).cellTools(asked, env),
    });
    return { status, stdout, stderr };
  } finally {
    process.chdir(left);
    running_here = false;
  }
}

function onlyInAProcess(): never {
  throw new Error("a command that runs a gateway needs a process of its own");
}
