import type { Command } from "commander";
import type { OnProgress } from "../core/operations/on-progress.ts";
import { leafCommand, print } from "./shared/command.ts";
import type { CliDeps, MigratedStore, MigrateStoreOptions } from "./shared/deps.ts";
import { counted } from "./shared/table.ts";

interface MigrateCommandOptions extends MigrateStoreOptions {
  readonly json?: true;
}

/** `camino migrate-store`: moves the embedded database to PostgreSQL (docs/design/moving.md). */
export function addMigrateStoreCommand(program: Command, deps: CliDeps, end: (status: number) => void): void {
  leafCommand(program, "migrate-store", "move the embedded database to PostgreSQL; its gateway must have stopped")
    .requiredOption("--from <url>", "the embedded database, sqlite:PATH; it is kept, and marked as moved at the end")
    .requiredOption(
      "--to <url>",
      "an empty PostgreSQL database, postgres://…; or one that this command has begun to fill",
    )
    .option("--data <dir>", "data directory, where the secret is (default: CAMINO_DATA, else ./data)")
    .option("--replace-nul", "store U+FFFD for NUL characters in texts, which PostgreSQL does not store")
    .action(async (options: MigrateCommandOptions) => {
      const tools = await deps.databaseTools();
      const onNotice = (message: string): void => deps.stderr(`${message}\n`);
      const moved = await tools.migrateStore(options, { onProgress: progressOn(deps), onNotice });
      print(deps, options, moved, inWords);
      if (moved.problems.length > 0) end(1);
    });
}

function inWords({ database, secret, was_complete, tables, accounts, problems }: MigratedStore): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const done = was_complete
    ? `${database} had everything already.`
    : `${database} has everything: ${counted(accounts, "account")}, ${counted(rows, "row")} in ${counted(Object.keys(tables).length, "table")}, ` +
      "each compared with the file, and audited.";
  return [
    done,
    "Start the gateway with CAMINO_DATABASE_URL set to the address that --to has.",
    `API keys and vendors' credentials work with the secret that they were made with (${secret}): set CAMINO_SECRET to it on each node.`,
    "The file is kept and marked as moved: no gateway starts on it.",
    ...(problems.length === 0 ? [] : [`Its books do not match, as those of the file: ${problems.join("; ")}.`]),
  ].join("\n");
}

/** Writes a line to stderr at each tenth of a step. */
function progressOn(deps: CliDeps): OnProgress {
  let last = "";
  return (step, done, of) => {
    const line = of <= 1 ? `${step}\n` : `${step}: ${Math.floor((10 * done) / of)}0 %\n`;
    if (line === last) return;
    last = line;
    deps.stderr(line.replace(": 00 %", ": 0 %"));
  };
}
