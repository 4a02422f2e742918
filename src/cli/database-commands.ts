import type { Command } from "commander";
import type { OnProgress } from "../core/operations/on-progress.ts";
import { databaseCommand, print } from "./shared/command.ts";
import type { CliDeps, DatabaseOptions } from "./shared/deps.ts";
import { counted } from "./shared/table.ts";

interface BackupOptions extends DatabaseOptions {
  readonly json?: true;
  readonly replace?: true;
}

/** Adds the commands that work on the embedded database's file itself. */
export function addDatabaseCommands(program: Command, deps: CliDeps, end: (status: number) => void): void {
  databaseCommand(
    program,
    "backup <file>",
    "copy the embedded database into a file, also while a gateway writes to it",
  ).action(async (file: string, options: BackupOptions) => {
    const tools = await deps.databaseTools();
    const made = await tools.backUp(options, file, progressOn(deps));
    print(deps, options, { file, ...made }, ({ bytes, accounts, problems, secret }) =>
      [
        `${file}: ${megabytes(bytes)} with ${counted(accounts, "account")}, verified.`,
        `Keep the secret too, elsewhere (${secret}): without it no API key works after a restore.`,
        ...booksOf(problems),
      ].join("\n"),
    );
    if (made.problems.length > 0) end(1);
  });

  databaseCommand(program, "restore <file>", "replace the embedded database with a backup")
    .option("--replace", "move an existing database aside; its files are kept")
    .action(async (file: string, options: BackupOptions) => {
      const tools = await deps.databaseTools();
      const how = { replace: options.replace ?? false, onProgress: progressOn(deps) };
      const made = await tools.restore(options, file, how);
      print(deps, options, { file, ...made }, ({ database, accounts, moved, problems, secret }) =>
        [
          `${database} is restored from ${file}, with ${counted(accounts, "account")}.`,
          ...(moved.length > 0 ? [`What was there before is kept: ${moved.join(", ")}.`] : []),
          `API keys work with the secret that they were made with (${secret}).`,
          ...booksOf(problems),
        ].join("\n"),
      );
      if (made.problems.length > 0) end(1);
    });

  addAcceptSecretCommand(program, deps);
  databaseCommand(
    program,
    "accept-loss",
    "continue with an embedded database that has lost commits; the audit reports it from then on",
  ).action(async (options: BackupOptions) => {
    const tools = await deps.databaseTools();
    const accepted = await tools.acceptLoss(options);
    print(deps, options, { accepted }, () =>
      accepted.length === 0 ? "Nothing is missing: the gateway starts." : `Accepted: ${accepted.join("\n")}`,
    );
  });
}

/** Adds the command that gives a lost secret up, on either database. */
function addAcceptSecretCommand(program: Command, deps: CliDeps): void {
  databaseCommand(
    program,
    "accept-secret",
    "go on with another secret: what was made with the lost one stays dead (API keys, sessions, vendor credentials)",
  ).action(async (options: BackupOptions) => {
    const secret = await (await deps.databaseTools()).acceptSecret(options);
    print(deps, options, { secret }, () =>
      [
        `The database goes with ${secret} from now on: start the gateway.`,
        "Then give each API key a new secret (camino key list, camino key roll), and set vendor credentials of the console again.",
      ].join("\n"),
    );
  });
}

function booksOf(problems: readonly string[]): string[] {
  return problems.length === 0 ? [] : [`Its books do not match, as those of its origin: ${problems.join("; ")}.`];
}

/** Writes a line to stderr at each tenth of a step. */
function progressOn(deps: CliDeps): OnProgress {
  let last = "";
  return (step, done, of) => {
    const line = step === "copying" ? `${step}: ${Math.floor((10 * done) / Math.max(1, of))}0 %\n` : `${step}\n`;
    if (line === last) return;
    last = line;
    deps.stderr(line);
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
