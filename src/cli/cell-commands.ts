import { type Command, InvalidArgumentError } from "commander";
import type { DrainedCell, ListedCell, MovedAccount } from "../core/store/cells.ts";
import { leafCommand, print } from "./shared/command.ts";
import type { CellOptions, CliDeps } from "./shared/deps.ts";
import { counted, formatTable } from "./shared/table.ts";

interface CellCommandOptions extends CellOptions {
  readonly json?: true;
}

interface CellMoveOptions extends CellCommandOptions {
  readonly wait: number;
}

const WAIT_S = 60;

/** `camino cell`: the databases that accounts live in, and how accounts come from one to another (docs/adr/0085). */
export function addCellCommands(program: Command, deps: CliDeps, end: (status: number) => void): void {
  const cell = program.command("cell").description("the databases among which accounts are spread");

  cellCommand(cell, "list", "list the cells with their accounts and requests of today (UTC)").action(
    async (options: CellCommandOptions) => {
      await using tools = await deps.cellTools(options);
      const cells = await tools.list();
      print(deps, options, { cells }, () => tableOf(cells));
    },
  );

  cellCommand(
    cell,
    "add <name>",
    "prepare the database of a cell that the settings name; a drained one takes accounts again",
  ).action(async (name: string, options: CellCommandOptions) => {
    await using tools = await deps.cellTools(options);
    const added = await tools.add(name);
    print(deps, options, added, ({ database, was_there }) =>
      [
        was_there
          ? `${name} (${database}) is ready, and takes new accounts.`
          : `${name} (${database}) has its tables now.`,
        "Name it in the settings of each gateway as it is named here, and start one after the other anew. Its weight says how many of the new accounts come to it.",
        "Then `camino cell move ACCOUNT --to NAME` brings accounts to it that are there already.",
      ].join("\n"),
    );
  });

  withWait(
    cellCommand(cell, "move <account>", "move an account, by id or e-mail, to another cell while all others run"),
  )
    .option("--to <name>", "the cell (default: drawn by the weights, as for a new account)")
    .action(async (account: string, options: CellMoveOptions & { readonly to?: string }) => {
      await using tools = await deps.cellTools(options);
      const moved = await tools.move(account, options.to ?? null, { wait_ms: options.wait * 1000 });
      print(deps, options, moved, describeMove);
    });

  withWait(
    cellCommand(cell, "drain <name>", "give a cell no new accounts, and move all that it has to the others"),
  ).action(async (name: string, options: CellMoveOptions) => {
    await using tools = await deps.cellTools(options);
    const onMoved = (moved: MovedAccount): void => deps.stderr(`${describeMove(moved)}\n`);
    const drained = await tools.drain(name, { wait_ms: options.wait * 1000, onMoved });
    print(deps, options, drained, describeDrain);
    if (drained.left.length > 0) end(1);
  });
}

function cellCommand(parent: Command, usage: string, description: string): Command {
  return leafCommand(parent, usage, description)
    .option("--config <file>", "configuration file (default: CAMINO_CONFIG, else camino.yaml if there is one)")
    .option("--database <url>", "the directory's address, postgres://… (default: CAMINO_DATABASE_URL)");
}

function withWait(command: Command): Command {
  return command.option("--wait <seconds>", "how long an account's running calls are waited for", readSeconds, WAIT_S);
}

function readSeconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A number of seconds, such as 60.");
}

function tableOf(cells: readonly ListedCell[]): string {
  const rows = cells.map(({ name, database, weight, state, accounts, requests_today }) => [
    ...[name, database, String(weight), String(accounts), String(requests_today), state],
  ]);
  const moving = cells.flatMap(({ name, moving: ids }) => ids.map((id) => `${id} in ${name}`));
  return [
    formatTable(["cell", "database", ">weight", ">accounts", ">requests today", "state"], rows),
    ...(moving.length === 0
      ? []
      : [
          `On the way, and without calls: ${moving.join(", ")}. Where no command moves them now, \`camino cell move ACCOUNT\` brings them to an end.`,
        ]),
  ].join("\n");
}

function describeMove({ account_id, from, to, rows, stopped_ms }: MovedAccount): string {
  if (from === to) return `${account_id} is in ${to} already.`;
  return `${account_id}: ${from} to ${to}, ${counted(rows, "row")}, without calls for ${(stopped_ms / 1000).toFixed(2)} s.`;
}

function describeDrain({ name, moved, left }: DrainedCell): string {
  if (left.length > 0)
    return [
      `${counted(moved.length, "account")} moved. Still in ${name}:`,
      ...left.map(({ account_id, why }) => `${account_id}: ${why}`),
      "Run this again for them.",
    ].join("\n");
  return `${counted(moved.length, "account")} moved. No account lives in ${name}, and no new one comes to it. Its part of the audit log is shown while the settings name it; \`camino cell add ${name}\` gives it new accounts again.`;
}
