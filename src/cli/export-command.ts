import type { Command } from "commander";
import { ExportedConfiguration } from "../../contract/configuration.ts";
import { type CommonOptions, gatewayCommand } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { CliFailure } from "./failure.ts";
import { callGateway, type GatewayOptions } from "./gateway-client.ts";

interface ExportOptions extends CommonOptions, GatewayOptions {
  readonly output?: string;
}

/** Adds the command that writes the configuration in force as a file. */
export function addExportCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(program, "export", "write what is in force on a running gateway as a configuration file")
    .option("--output <file>", "write it there; a file that is there is not replaced")
    .action(async (options: ExportOptions) => {
      const call = { method: "GET", path: ["configuration", "export"], answer: ExportedConfiguration } as const;
      const exported = await callGateway(deps, options, call);
      if (options.output !== undefined) await write(options.output, exported.text);
      if (options.json) return void deps.stdout(`${JSON.stringify(exported)}\n`);
      if (options.output === undefined) deps.stdout(exported.text);
      const missing = exported.variables.filter(({ set }) => !set);
      const told = missing.map(({ name, holds }) => `Set ${name} before this file is used: ${holds}.\n`).join("");
      deps.stderr(options.output === undefined ? told : `${told}Wrote ${options.output}.\n`);
    });
}

async function write(path: string, text: string): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const is_there = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const why = is_there ? "is there already; name another, or remove it first" : "cannot be written";
    throw new CliFailure(`The file ${path} ${why}.`, { code: "unwritable_file", cause });
  }
}
