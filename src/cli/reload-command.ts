import type { Command } from "commander";
import { type NamedChanges, Reloaded } from "../../contract/configuration.ts";
import { type CommonOptions, callAndPrint, gatewayCommand } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import type { GatewayOptions } from "./gateway-client.ts";

/** Adds the command that has a running gateway read its configuration file again. */
export function addReloadCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(
    program,
    "reload",
    "have a running gateway read its configuration file again, and say what changed",
  ).action((options: CommonOptions & GatewayOptions) => {
    const call = { method: "POST", path: ["configuration", "reload"], body: {}, answer: Reloaded } as const;
    return callAndPrint(deps, options, call, described);
  });
}

function described({ file, vendors, models, aliases, limits, after_restart, left_out = [] }: Reloaded): string {
  const changes = [
    ...linesOf("vendor", vendors),
    ...linesOf("model", models),
    ...(aliases === undefined ? [] : linesOf("alias", aliases)),
    ...limits.map((name) => `~ limits.${name}`),
  ];
  const head = file === null ? "There is no configuration file" : `${file} is in force`;
  return [
    `${head}${changes.length === 0 ? "; nothing has changed." : ":"}`,
    ...changes,
    ...after_restart.map((section) => `! ${section}: in force after a restart`),
    ...left_out.map((name) => `! ${name}: the database's does not fit and is left out; camino config list says why`),
  ].join("\n");
}

function linesOf(kind: string, { added, removed, changed }: NamedChanges): string[] {
  return [
    ...added.map((id) => `+ ${kind} ${id}`),
    ...removed.map((id) => `- ${kind} ${id}`),
    ...changed.map(({ id, fields }) => `~ ${kind} ${id}: ${fields.join(", ")}`),
  ];
}
