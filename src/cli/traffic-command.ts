import { type Command, Option } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { Traffic, type TrafficFigures } from "../../contract/traffic.ts";
import { type CallOptions, callAndPrint, gatewayCommand, queryOf } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { formatTable } from "./shared/table.ts";

const GROUPS = ["account", "key", "model", "vendor", "route", "status", "error"] as const;
const STATUSES = ["answered", "failed", "left", "refused"] as const;

/** `camino traffic`: requests, money, errors and latencies over time, of all accounts or of one. */
export function addTrafficCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(program, "traffic", "requests, spend, margin, errors and latencies over time")
    .option("--account <account>", "of one account, by e-mail or id (default: all)")
    .option("--key <key>", "with one key, by id")
    .option("--model <model>", "of one model")
    .option("--vendor <vendor>", "answered by one vendor, or tried there last")
    .option("--route <route>", "of one route: a vendor, a space and the vendor's model name")
    .addOption(new Option("--status <status>", "with this status").choices(STATUSES))
    .option("--since <time>", "from this day or time on, YYYY-MM-DD or RFC 3339")
    .option("--until <time>", "to this day, itself included, or to this time")
    .addOption(
      new Option("--step <step>", "the length of the periods").choices(["hour", "day", "month"]).default("day"),
    )
    .option("--zone <zone>", "the time zone of days and months", ownZone())
    .addOption(new Option("--by <group>", "a row for each (default: a row for each period)").choices(GROUPS))
    .option("--top <count>", "how many rows are shown separately, 1 to 1000")
    .action((options: CallOptions) => {
      const call = { method: "GET", path: ["usage", "traffic"], query: queryOf(options), answer: Traffic } as const;
      return callAndPrint(deps, options, call, inWords);
    });
}

function ownZone(): string {
  return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
}

function inWords(traffic: Traffic): string {
  const { by, step, currency, total, before } = traffic;
  const counts = [
    ">requests",
    ">answered",
    ">failed",
    ">left",
    ">refused",
    `>charge ${currency}`,
    `>margin ${currency}`,
  ];
  const columns = [by ?? step, ...counts, ">tokens", ">first byte ms", ">tokens/s"];
  const rows =
    by === null
      ? traffic.periods.filter(({ requests }) => requests > 0).map((each) => cells(each.start, each))
      : traffic.groups.map((each) => cells(each.others ? "(others)" : each.name || each.id || "(none)", each));
  return [
    formatTable(columns, [...rows, cells("total", total), cells("previous period", before)]),
    "",
    ...notes(traffic),
  ].join("\n");
}

function notes({ since, until, zone, utc_days, off_hours, counted_until, behind }: Traffic): string[] {
  return [
    `From ${since} to ${until}, ${utc_days ? "by UTC day" : `in ${zone}`}.`,
    ...(off_hours ? ["The zone's days start within an hour; here each starts with that full hour."] : []),
    counted_until === null ? "Nothing is counted yet." : `Updated ${counted_until}.`,
    ...(behind ? ["Older requests are still being counted."] : []),
  ];
}

function cells(name: string, figures: TrafficFigures): string[] {
  const { first_byte_ms, margin_micro, tokens_per_s } = figures;
  return [
    name,
    ...[figures.requests, figures.answered, figures.failed, figures.left, figures.refused].map(String),
    amountText(figures.charge_micro),
    margin_micro === null ? "-" : amountText(margin_micro),
    String(figures.total_tokens),
    String(first_byte_ms.p50 ?? first_byte_ms.mean ?? "-"),
    String(tokens_per_s ?? "-"),
  ];
}
