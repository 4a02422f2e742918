import type { Command } from "commander";
import { databaseCommand, print } from "./command.ts";
import type { CliDeps, DatabaseOptions } from "./deps.ts";
import { CliFailure } from "./failure.ts";

interface Options extends DatabaseOptions {
  readonly json?: true;
  readonly note?: string;
}

/** Adds the commands for incidents with the books, which stay open until a person closes them. */
export function addIncidentCommands(program: Command, deps: CliDeps): void {
  const incident = program
    .command("incident")
    .description("what went wrong with the books, and rows of the catalogue that are wrong");

  databaseCommand(incident, "list", "list the incidents that are open").action(async (options: Options) => {
    const incidents = await (await deps.databaseTools()).listIncidents(options);
    print(deps, options, { incidents }, () =>
      incidents.length === 0
        ? "No incident is open."
        : incidents
            .map(({ id, at_ms, kind, detail }) => `${id}  ${new Date(at_ms).toISOString()}  ${kind}: ${detail}`)
            .join("\n"),
    );
  });

  databaseCommand(incident, "close <id>", "close an incident that was dealt with: the audit reports it no more")
    .requiredOption("--note <text>", "what was done about it; it is kept with the incident")
    .action(async (text: string, options: Options) => {
      const id = Number(text);
      const closed =
        /^\d{1,15}$/.test(text) && (await (await deps.databaseTools()).closeIncident(options, id, options.note ?? ""));
      if (!closed) {
        throw new CliFailure(`No incident ${text} is open. \`camino incident list\` lists those that are.`, {
          code: "not_found",
        });
      }
      print(deps, options, { closed: id }, () => `Incident ${id} is closed.`);
    });
}
