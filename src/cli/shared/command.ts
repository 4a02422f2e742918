import type { Command } from "commander";
import type { Static, TSchema } from "typebox";
import type { CliDeps } from "./deps.ts";
import type { GatewayCall, GatewayOptions } from "./gateway-client.ts";

export interface CommonOptions {
  readonly json?: true;
}

/** The options of every command that talks to a running gateway. */
export type CallOptions = CommonOptions & GatewayOptions;

/** A command's own options by their names, as the query of its call: without those that say which gateway is called. */
export function queryOf(options: CallOptions): Readonly<Record<string, string | undefined>> {
  const { url: _url, token: _token, data: _data, json: _json, ...own } = options;
  return own;
}

/** A command with an action and the option `--json`. A `default` command also runs when its name is left out. */
export function leafCommand(parent: Command, usage: string, description: string, is?: "default"): Command {
  return parent
    .command(usage, { isDefault: is === "default" })
    .description(description)
    .option("--json", "print one JSON document and nothing else");
}

/** A command that talks to a running gateway. */
export function gatewayCommand(parent: Command, usage: string, description: string): Command {
  return leafCommand(parent, usage, description)
    .option("--url <url>", "the gateway's address (default: CAMINO_URL, else the data directory's gateway)")
    .option("--token <token>", "its admin token (default: CAMINO_ADMIN_TOKEN, else found in the data directory)")
    .option("--data <dir>", "the gateway's data directory (default: CAMINO_DATA, else ./data)");
}

/** A command that works on the embedded database's file itself, whether a gateway runs on it or not. */
export function databaseCommand(program: Command, usage: string, description: string): Command {
  return leafCommand(program, usage, description)
    .option("--database <url>", "sqlite:PATH (default: CAMINO_DATABASE_URL, else in the data directory)")
    .option("--data <dir>", "data directory (default: CAMINO_DATA, else ./data)");
}

/** Prints a result: as JSON where asked, else in words. */
export function print<Result extends object>(
  deps: CliDeps,
  options: CommonOptions,
  result: Result,
  inWords: (result: Result) => string,
): void {
  deps.stdout(`${options.json ? JSON.stringify(result) : inWords(result)}\n`);
}

/** Makes a call of the console API and prints its answer. */
export async function callAndPrint<Schema extends TSchema>(
  deps: CliDeps,
  options: CallOptions,
  call: GatewayCall<Schema>,
  inWords: (answer: Static<Schema>) => string,
): Promise<void> {
  // Loaded here because this module is shared: commands that call no gateway need no client.
  const { callGateway } = await import("./gateway-client.ts");
  const answer = await callGateway(deps, options, call);
  deps.stdout(`${options.json ? JSON.stringify(answer) : inWords(answer)}\n`);
}
