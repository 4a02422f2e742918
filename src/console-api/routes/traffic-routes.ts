import type { Cell } from "../../../contract/csv.ts";
import { type Traffic, type TrafficFigures, TrafficQuery } from "../../../contract/traffic.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { given } from "../../core/given.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import { roleOf } from "../answer/actor.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";
import { readPeriods } from "../read/read-periods.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { showTraffic } from "../show/show-traffic.ts";

export const trafficRoutes = [route("GET /usage/traffic", "member", { query: TrafficQuery, handle: report })];

const USUAL_TOP = 20;
/** The most rows of a CSV file. */
const MOST_ROWS = 5000;

async function report(call: ConsoleCall<unknown, TrafficQuery>): Promise<ConsoleAnswer> {
  const { query, deps, actor } = call;
  const { key, model, vendor, status, by = null, top, format = "json" } = query;
  const account_id = await requireAccounts(call, query.account);
  const apart = account_id === null && (by === "account" || by === "key" || key !== undefined);
  const periods = readPeriods(query, { now_ms: deps.clock.now_ms(), apart });
  const space = query.route?.indexOf(" ") ?? 0;
  const found = await deps.accounts.reportTraffic({
    account_id,
    ...given({ key_id: key, model, vendor }),
    ...(query.route === undefined
      ? {}
      : { vendor: query.route.slice(0, space), upstream_model: query.route.slice(space + 1) }),
    ...(status === undefined ? {} : { status }),
    periods: periods.spans,
    before: periods.before,
    by_day: periods.by_day,
    group: by,
    top: top === undefined ? (format === "csv" ? MOST_ROWS : USUAL_TOP) : Number(top),
  });
  const sees_margin = roleOf(actor) === "administrator";
  const shown = showTraffic(found, { ...periods, by, currency: deps.configuration.currency, sees_margin });
  return format === "csv" ? download(shown) : { status: 200, body: shown };
}

/** A row for each group, or without groups for each period. Amounts have two columns: for people, and in micro units for programs. */
function download(traffic: Traffic): ConsoleAnswer {
  const { by, step, currency, groups, periods, since, until } = traffic;
  const rows: Cell[][] =
    by === null
      ? periods.map((period) => [period.start, ...cells(period, currency)])
      : groups.map((group) => [
          ...[group.others ? "(others)" : (group.id ?? ""), group.name ?? ""],
          ...cells(group, currency),
          ...[group.before.requests, formatAmount(micro(group.before.charge_micro))],
        ]);
  const head = by === null ? [step, ...COLUMNS] : [by, "name", ...COLUMNS, "requests_before", "charge_before"];
  return csvAnswer(`traffic-${by ?? step}-${since.slice(0, 10)}-${until.slice(0, 10)}`, [head, ...rows]);
}

const COLUMNS = [
  ...[
    "requests",
    "answered",
    "failed",
    "left",
    "refused",
    "charge",
    "charge_micro",
    "margin",
    "margin_micro",
    "currency",
  ],
  ...["prompt_tokens", "cached_tokens", "completion_tokens", "tokens_per_s"],
  ...["first_byte_mean_ms", "first_byte_p50_ms", "first_byte_p95_ms", "total_mean_ms", "total_p50_ms", "total_p95_ms"],
];

function cells(figures: TrafficFigures, currency: string): Cell[] {
  const { charge_micro, margin_micro, first_byte_ms, total_ms } = figures;
  return [
    ...[figures.requests, figures.answered, figures.failed, figures.left, figures.refused],
    ...[formatAmount(micro(charge_micro)), charge_micro],
    ...[margin_micro === null ? null : formatAmount(micro(margin_micro)), margin_micro, currency],
    ...[figures.prompt_tokens, figures.cached_tokens, figures.completion_tokens],
    figures.tokens_per_s,
    ...[first_byte_ms.mean, first_byte_ms.p50, first_byte_ms.p95, total_ms.mean, total_ms.p50, total_ms.p95],
  ];
}
