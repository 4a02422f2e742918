import { sqlFor } from "./statement.ts";
import { toInt } from "./values.ts";
import { rows, type Work } from "./work.ts";

/** The database's clock, so that several gateways agree on deadlines whatever their own clocks say. */
const CLOCK = sqlFor({
  sqlite: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now_ms",
  postgres: "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms",
});

export interface ClockRow {
  readonly now_ms: unknown;
}

export function* now_ms(): Work<number> {
  const [clock] = yield* rows<ClockRow>(CLOCK);
  return toInt(clock?.now_ms);
}
