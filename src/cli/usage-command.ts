import { type Command, Option } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { UsageReport, type UsageTotals } from "../../contract/usage.ts";
import { accountEmails } from "./shared/account-emails.ts";
import { type CallOptions, gatewayCommand, print, queryOf } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { callGateway } from "./shared/gateway-client.ts";
import { readDay, readUsageTagName } from "./shared/read-arguments.ts";
import { formatTable } from "./shared/table.ts";

export function addUsageCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(program, "usage", "what was used and charged")
    .option("--account <account>", "of one account, by e-mail or id (default: all)")
    .option("--project <project_id>", "of one project, or none for what belongs to no project")
    .option("--since <date>", "from this day on, YYYY-MM-DD, UTC", readDay)
    .option("--until <date>", "to this day, itself included", readDay)
    .addOption(
      new Option("--by <group>", "a row for each (default: day)").choices([
        "key",
        "model",
        "project",
        "day",
        "account",
        "tag",
      ]),
    )
    .option(
      "--tag <name>",
      "a row for each value of this tag of requests, or else of their keys: --by tag",
      readUsageTagName,
    )
    .option("--value <value>", "with --tag: only what has this value of it, or an empty one for what has none")
    .action(async (options: CallOptions) => {
      const { tag, value, by = tag === undefined || value !== undefined ? "day" : "tag", ...rest } = queryOf(options);
      const query = { ...rest, by, tag, value };
      const report = await callGateway(deps, options, { method: "GET", path: ["usage"], query, answer: UsageReport });
      const ids = query.by === "account" && !options.json ? report.data.map(({ group }) => group) : [];
      const names = await accountEmails(deps, options, ids);
      print(deps, options, report, () => tableOfUsage(report, names));
    });
}

function tableOfUsage({ by, tag, currency, data, total }: UsageReport, names: ReadonlyMap<string, string>): string {
  if (data.length === 0) return "Nothing was used.";
  const what = by === "tag" ? (tag ?? by) : by;
  const units = UNITS.filter(({ name }) => total.units?.[name] !== undefined);
  const tokens = [">input tokens", ">output tokens", ...units.map(({ title }) => `>${title}`)];
  const columns = [what, ">requests", ">answered", ...tokens, `>cost ${currency}`];
  const cellsOf = (group: string, totals: UsageTotals): string[] => {
    const others = units.map(({ name, per }) => unitText(totals.units?.[name] ?? 0, per));
    return [...cells(group, totals), ...others, amountText(totals.cost_micro)];
  };
  return formatTable(columns, [
    ...data.map((row) => cellsOf(row.group === "" ? `(no ${what})` : (names.get(row.group) ?? row.group), row)),
    cellsOf("total", total),
  ]);
}

function cells(group: string, totals: UsageTotals): string[] {
  return [
    group,
    String(totals.request_count),
    String(totals.success_count),
    String(totals.prompt_tokens),
    String(totals.completion_tokens),
  ];
}

type UnitName = keyof NonNullable<UsageTotals["units"]>;

/** What is charged beside tokens; sound by the minute. */
const UNITS: readonly { readonly name: UnitName; readonly title: string; readonly per: number }[] = [
  { name: "input_characters", title: "characters", per: 1 },
  { name: "input_seconds", title: "minutes", per: 60 },
  { name: "images", title: "images", per: 1 },
  { name: "searches", title: "searches", per: 1 },
];

function unitText(count: number, per: number): string {
  return per === 1 ? String(count) : (count / per).toFixed(1);
}
