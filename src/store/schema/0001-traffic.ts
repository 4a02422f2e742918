import type { Dialect } from "../sql/statement.ts";
import { columnTypes } from "./column-types.ts";
import { COUNT_COLUMNS, LATENCY_COLUMNS } from "./traffic-columns.ts";

interface TrafficTable {
  readonly time: "hour" | "day";
  /** Whether rows are told apart by account and key; the gateway's own tables have counts by latency in place of that. */
  readonly of_account: boolean;
  /** Whether rows are told apart by route and by the error's code; else by the status alone. */
  readonly of_route: boolean;
}

export const TRAFFIC_TABLES = {
  traffic_hours: { time: "hour", of_account: false, of_route: true },
  traffic_days: { time: "day", of_account: false, of_route: true },
  traffic_account_hours: { time: "hour", of_account: true, of_route: true },
  traffic_account_days: { time: "day", of_account: true, of_route: true },
  traffic_key_days: { time: "day", of_account: true, of_route: false },
} as const satisfies Readonly<Record<string, TrafficTable>>;

/**
 * The traffic of the whole gateway by hour and by UTC day, counted in the background from finished requests (docs/design/reports.md). Nothing
 * else depends on these tables, and they can be counted anew.
 */
export function trafficTables(dialect: Dialect): string[] {
  return [...sums(dialect), ...refusals(dialect), ...progress(dialect)];
}

function sums(dialect: Dialect): string[] {
  const { int, text, serial, clustered, plain } = columnTypes(dialect);
  return [
    // The model that was asked, the vendor that answered or was tried last, and the vendor's own name for the model.
    `CREATE TABLE traffic_routes (
      no ${serial},
      model ${text} NOT NULL,
      vendor ${text} NOT NULL,
      upstream_model ${text} NOT NULL,
      UNIQUE (model, vendor, upstream_model)
    )${plain}`,
    ...Object.entries(TRAFFIC_TABLES).flatMap(([name, { time, of_account, of_route }]) => {
      const account = of_account ? ["account_id", "key_id"] : [];
      const key = [time, ...account, ...(of_route ? ["route_no"] : []), "outcome"];
      const columns = [
        `${time} ${int} NOT NULL`,
        ...account.map((column) => `${column} ${text} NOT NULL`),
        ...(of_route ? [`route_no ${int} NOT NULL`] : []),
        `outcome ${text} NOT NULL`,
        ...COUNT_COLUMNS.map((column) => `${column} ${int} NOT NULL DEFAULT 0`),
        ...(of_account ? [] : LATENCY_COLUMNS.map((column) => `${column} INTEGER`)),
      ];
      return [
        `CREATE TABLE ${name} (
      ${columns.join(", ")},
      PRIMARY KEY (${key.join(", ")})
    )${clustered}`,
        ...(of_account && of_route ? [`CREATE INDEX ${name}_of_account ON ${name} (account_id, ${time})`] : []),
      ];
    }),
    // The outcomes of each route's calls, in slots of five minutes.
    `CREATE TABLE vendor_slots (
      slot ${int} NOT NULL,
      vendor ${text} NOT NULL,
      upstream_model ${text} NOT NULL,
      error ${text} NOT NULL,
      calls ${int} NOT NULL,
      first_ms ${int} NOT NULL,
      first_count ${int} NOT NULL,
      total_ms ${int} NOT NULL,
      PRIMARY KEY (slot, vendor, upstream_model, error)
    )${clustered}`,
    // When circuits opened and closed, of all nodes (docs/design/prices-and-receipts.md).
    `CREATE TABLE circuit_changes (
      node_id ${text} NOT NULL,
      no ${int} NOT NULL,
      at_ms ${int} NOT NULL,
      vendor ${text} NOT NULL,
      upstream_model ${text} NOT NULL,
      account_id ${text},
      state ${text} NOT NULL,
      reason ${text} NOT NULL,
      attempts ${int} NOT NULL,
      failures ${int} NOT NULL,
      PRIMARY KEY (node_id, no)
    )${clustered}`,
    "CREATE INDEX circuit_changes_by_time ON circuit_changes (at_ms)",
  ];
}

function refusals(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    // Requests that were refused before a vendor was asked, summed up by minute: they have no row in the ledger.
    `CREATE TABLE refusals (
      minute ${int} NOT NULL,
      account_id ${text} NOT NULL,
      key_id ${text} NOT NULL,
      endpoint ${text} NOT NULL,
      code ${text} NOT NULL,
      status ${int} NOT NULL,
      count ${int} NOT NULL CHECK (count > 0),
      model ${text} NOT NULL,
      param ${text},
      request_id ${text} NOT NULL,
      client_request_id ${text},
      last_ms ${int} NOT NULL,
      PRIMARY KEY (minute, account_id, key_id, endpoint, code)
    )${clustered}`,
    "CREATE INDEX refusals_of_account ON refusals (account_id, minute)",
    "CREATE INDEX refusals_by_request ON refusals (request_id)",
    "CREATE INDEX refusals_by_client_id ON refusals (client_request_id) WHERE client_request_id IS NOT NULL",
    // Each account's newest of them, one by one, so that each is found by its id.
    `CREATE TABLE refused_requests (
      account_id ${text} NOT NULL,
      at_ms ${int} NOT NULL,
      request_id ${text} NOT NULL,
      client_request_id ${text},
      key_id ${text} NOT NULL,
      endpoint ${text} NOT NULL,
      code ${text} NOT NULL,
      status ${int} NOT NULL,
      asked_model ${text},
      model ${text},
      param ${text},
      message ${text} NOT NULL,
      PRIMARY KEY (account_id, at_ms, request_id)
    )${clustered}`,
    "CREATE INDEX refused_requests_by_id ON refused_requests (request_id)",
    "CREATE INDEX refused_requests_by_client_id ON refused_requests (client_request_id) WHERE client_request_id IS NOT NULL",
  ];
}

function progress(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    // The last counted request, by the number of its row.
    `CREATE TABLE traffic_state (
      one ${int} PRIMARY KEY CHECK (one = 1),
      revision ${int} NOT NULL,
      counted_seq ${int} NOT NULL,
      counted_ms ${int},
      is_behind ${int} NOT NULL CHECK (is_behind IN (0, 1))
    )${clustered}`,
    // Requests that were still running when they were to be counted, and those that a recovery ended: their own end may still come.
    `CREATE TABLE traffic_waiting (
      request_id ${text} PRIMARY KEY,
      since_ms ${int} NOT NULL,
      counted ${text}
    )${clustered}`,
  ];
}
