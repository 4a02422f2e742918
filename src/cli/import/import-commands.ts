import type { Command } from "commander";
import { type CommonOptions, leafCommand, print } from "../shared/command.ts";
import type { CliDeps } from "../shared/deps.ts";
import { readSource } from "../shared/read-source.ts";
import { counted } from "../shared/table.ts";
import type { ForeignFile } from "./foreign-file.ts";
import type { Imported } from "./imported.ts";

/** The gateways whose files can be read. Their readers are loaded by the command that needs one. */
const SOURCES: readonly {
  readonly id: string;
  readonly about: string;
  readonly reader: () => Promise<(file: ForeignFile) => Imported>;
}[] = [
  {
    id: "litellm",
    about: "LiteLLM's config.yaml: models, deployments, fallbacks, aliases, defaults of keys",
    reader: async () => (await import("./read-litellm-config.ts")).readLiteLlmConfig,
  },
  {
    id: "litellm-customers",
    about: "LiteLLM's list of customers (GET /customer/list): budgets and rates of end users, as limits by tag",
    reader: async () => (await import("./read-litellm-customers.ts")).readLiteLlmCustomers,
  },
  {
    id: "openrouter",
    about: "OpenRouter's list of keys (GET /api/v1/keys): names and limits",
    reader: async () => (await import("./read-openrouter.ts")).readOpenRouterKeys,
  },
  {
    id: "new-api",
    about: "new-api's list of channels (GET /api/channel/): vendors, models, weights, priorities",
    reader: async () => (await import("./read-new-api.ts")).readNewApiChannels,
  },
  {
    id: "portkey",
    about: "Portkey's configs, one or several: targets, weights, fallbacks",
    reader: async () => (await import("./read-portkey.ts")).readPortkeyConfig,
  },
];

export function addImportCommands(program: Command, deps: CliDeps): void {
  const parent = program
    .command("import")
    .description("another gateway's file as a configuration of Camino, on stdout; changes nothing");
  for (const { id, about, reader } of SOURCES) {
    leafCommand(parent, `${id} <file|url>`, about).action(async (source: string, options: CommonOptions) => {
      const [read, { ForeignFile }, { describeNote, writeImported }] = await Promise.all([
        reader(),
        import("./foreign-file.ts"),
        import("./write-imported.ts"),
      ]);
      const file = new ForeignFile(await readSource(source, deps.fetch), source);
      const written = writeImported(read(file), source);
      print(deps, options, written, ({ configuration }) => configuration.trimEnd());
      if (options.json) return;
      const { models, aliases, variables, not_imported } = written;
      const lines = [`${counted(models, "model")}, ${counted(Object.keys(aliases).length, "other name")} for keys.`];
      if (variables.length > 0) lines.push(`Set these variables: ${variables.join(", ")}.`);
      if (not_imported.length > 0)
        lines.push("Not imported:", ...not_imported.map((note) => `  ${describeNote(note)}`));
      deps.stderr(`${lines.join("\n")}\n`);
    });
  }
}
