import type { Command } from "commander";
import type { BudgetUse } from "../../contract/budgets.ts";
import { tagLimitText } from "../../contract/tag-limit-text.ts";
import { type TagValue, TagValueList } from "../../contract/tag-limits.ts";
import { budgetUseText } from "./limit-options.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { readLimit } from "./shared/read-arguments.ts";
import { formatFields, formatTable, money } from "./shared/table.ts";
import { ownLimitWords, valueLimitWords } from "./tag-limit-options.ts";

interface ShowOptions extends CallOptions {
  readonly project?: string;
  readonly gateway?: true;
  readonly prefix?: string;
  readonly limit?: number;
  readonly before?: string;
}

/** `camino tag show …`: what each value of a limited tag has used and has left. */
export function addTagCommands(program: Command, deps: CliDeps): void {
  const tag = program.command("tag").description("limits by tag: what each value has used and has left");
  gatewayCommand(tag, "show <account> <tag> [value]", "the values of a limited tag, the largest first, or one of them")
    .option("--project <project_id>", "the values of a project's limit")
    .option("--gateway", "the values of the gateway's limit")
    .option("--prefix <text>", "only values that begin so")
    .option("--limit <n>", "how many values to show", readLimit, 50)
    .option("--before <place>", "the next page: the place that the page before has named")
    .action((account: string, name: string, value: string | undefined, asked: ShowOptions) => {
      const { project, gateway, prefix, limit, before, ...options } = asked;
      const of = project === undefined ? ["accounts", account] : ["projects", project];
      const query = { prefix, value, before, limit: String(limit ?? 50), of: gateway ? "gateway" : undefined };
      const call = { method: "GET", path: [...of, "tags", name, "values"], query, answer: TagValueList } as const;
      return callAndPrint(deps, options, call, (list) =>
        value === undefined ? tableOf(list) : list.data.map((each) => fieldsOf(name, each)).join("\n"),
      );
    });
}

function tableOf({ data, limit, value_count, next_before, currency }: TagValueList): string {
  const head = `${tagLimitText(limit)}: ${value_count} ${value_count === 1 ? "value" : "values"}`;
  if (data.length === 0) return `${head}. None has been used.`;
  const rows = data.map((each) => [
    each.value,
    money(each.use?.spent_micro ?? 0, currency),
    each.use === null ? "no budget" : money(each.use.remaining_micro, currency),
    String(each.in_flight),
    ownLimitWords(each),
    renewalText(each.use?.renews ?? null),
  ]);
  const table = formatTable(["value", ">used", ">left", ">running", "own limits", "renews"], rows);
  return [head, table, ...(next_before === null ? [] : [`There are more: --before '${next_before}'`])].join("\n");
}

function renewalText(renews: BudgetUse["renews"]): string {
  return renews === null ? "" : `${renews.at} (${renews.time_zone})`;
}

function fieldsOf(tag: string, value: TagValue): string {
  return formatFields([
    ["value", `${tag}=${value.value}`],
    ["limits", valueLimitWords(value) || "none"],
    ["own", value.own.join(", ") || "none"],
    ["budget", value.use === null ? "none" : budgetUseText(value.use)],
    ["running", String(value.in_flight)],
    ["last used", value.last_used_at ?? "never"],
  ]);
}
