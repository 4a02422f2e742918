import { type CircuitHistory, CircuitHistoryQuery } from "../../../contract/health.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import type { CircuitRecord } from "../../core/operations/circuits.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { showTime } from "../show/show.ts";

export const circuitHistoryRoute = route("GET /health/circuits", "administrator", {
  query: CircuitHistoryQuery,
  handle: report,
});

const DAYS = { day: 1, week: 7 } as const;
const SHOWN = 200;
const FILE_ROWS = 5000;

async function report(call: ConsoleCall<unknown, CircuitHistoryQuery>): Promise<ConsoleAnswer> {
  const { range = "day", vendor, format = "json" } = call.query;
  const { accounts, clock } = call.deps;
  const since_ms = clock.now_ms() - DAYS[range] * MS_PER_DAY;
  const limit = format === "csv" ? FILE_ROWS : SHOWN;
  const found = await accounts.listCircuitChanges({
    since_ms,
    limit: limit + 1,
    ...(vendor !== undefined && { vendor }),
  });
  const labels = await accounts.labelAccounts(found.flatMap(({ account_id }) => account_id ?? []));
  const emails = new Map(labels.map(({ id, email }) => [id, email]));
  const data = found.slice(0, limit).map((record) => show(record, emails));
  if (format === "csv") return download(data, range);
  const body: CircuitHistory = { object: "list", data, has_more: found.length > limit, since: showTime(since_ms) };
  return { status: 200, body };
}

type Shown = CircuitHistory["data"][number];

function show(record: CircuitRecord, emails: ReadonlyMap<string, string>): Shown {
  const { account_id, attempts, failures } = record;
  return {
    at: showTime(record.at_ms),
    node: record.node_id,
    vendor: record.vendor,
    upstream_model: record.upstream_model,
    account: account_id,
    account_email: account_id === null ? null : (emails.get(account_id) ?? null),
    state: record.state,
    reason: record.reason,
    ...{ attempts, failures },
  };
}

function download(data: readonly Shown[], range: string): ConsoleAnswer {
  const head = ["at", "node", "vendor", "upstream_model", "account", "account_email", "state", "reason", "attempts"];
  const rows = data.map((each) => [
    ...[
      each.at,
      each.node,
      each.vendor,
      each.upstream_model,
      each.account,
      each.account_email,
      each.state,
      each.reason,
    ],
    ...[each.attempts, each.failures],
  ]);
  return csvAnswer(`circuits-last-${range}`, [[...head, "failures"], ...rows]);
}
