import { type Command, Option } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { type Model, ModelList } from "../../contract/models.ts";
import { type CommonOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import type { GatewayOptions } from "./shared/gateway-client.ts";
import { formatTable } from "./shared/table.ts";

interface ModelsOptions extends CommonOptions, GatewayOptions {
  readonly kind: string;
  readonly all?: true;
}

export function addModelsCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(program, "models", "the models that the gateway serves, with their prices")
    .addOption(new Option("--kind <kind>", "only these").choices(["chat", "decision", "all"]).default("all"))
    .option("--all", "also models that no list shows: the simulator's fixtures")
    .action(({ kind, all, ...options }: ModelsOptions) =>
      callAndPrint(
        deps,
        options,
        { method: "GET", path: ["models"], query: { kind, ...(all && { unlisted: "show" }) }, answer: ModelList },
        tableOfModels,
      ),
    );
}

function tableOfModels({ currency, data }: ModelList): string {
  if (data.length === 0) return "The catalogue is empty. Set a vendor's credential variable, or configure one.";
  const columns = [
    { heading: "model" },
    { heading: "kind" },
    { heading: "context", align: "right" },
    { heading: "can" },
    { heading: `input ${currency}/M`, align: "right" },
    { heading: `output ${currency}/M`, align: "right" },
  ] as const;
  const rows = data.map((model) => [
    model.id,
    model.kind,
    model.context_length?.toString() ?? "",
    abilities(model),
    amountText(model.price.input_micro_per_mtok),
    amountText(model.price.output_micro_per_mtok),
  ]);
  return formatTable(columns, rows);
}

function abilities({ capabilities }: Model): string {
  return (["tools", "json", "vision", "thinking"] as const).filter((name) => capabilities[name]).join(" ");
}
