import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import type { TrafficQuery } from "../../core/operations/traffic.ts";
import { migrate } from "../schema/migrate.ts";
import { isSet, runNow, type Step, type Work } from "../sql/work.ts";
import { readTrafficSlice } from "./read-slice.ts";
import { reportTraffic } from "./report-traffic.ts";

/** The embedded database's plans; PostgreSQL's are in proofs/suites/postgres/plans.test.ts. */

const database = new Database(":memory:", { strict: true });
runNow(migrate("sqlite"), execute);
afterAll(() => database.close());

function execute({ statement, params }: Step): readonly unknown[] {
  return database.prepare(statement.sqlite).all(...(params as string[]));
}

/** How SQLite looks into each table whose rows grow, for each statement of a work. */
function looksOf(work: Work<unknown>): string[] {
  const looks: string[] = [];
  runNow(work, (step) => {
    if (isSet(step)) return step.params.flatMap((params) => execute({ ...step, params: [...params] } as Step));
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${step.statement.sqlite}`).all(...(step.params as string[]));
    looks.push(...(plan as { detail: string }[]).map(({ detail }) => detail));
    return execute(step);
  });
  return looks.filter((look) => /^(SCAN|SEARCH) (t|requests|traffic_waiting)\b/.test(look));
}

const PERIODS = [
  [0, 24],
  [24, 48],
] as const;
const GROUPS = ["account", "key", "model", "vendor", "route", "status", "error", null] as const;

test("reports read stretches of the traffic's tables, and of one account along its index", () => {
  for (const account_id of ["acct_1", null]) {
    for (const by_day of [false, true]) {
      for (const group of GROUPS) {
        const query: TrafficQuery = { account_id, by_day, group, periods: PERIODS, before: [-24, 0], top: 3 };
        for (const look of looksOf(reportTraffic({ ...query, model: "m", status: "failed" }))) {
          expect([query, look]).toEqual([query, expect.stringMatching(/^SEARCH t USING (PRIMARY KEY|INDEX)/)]);
          if (account_id !== null) expect(look).toContain("_of_account (account_id=? AND ");
        }
      }
    }
  }
});

test("a slice reads requests in the order of their rows, and those that wait by their ids", () => {
  database.run("INSERT INTO traffic_waiting (request_id, since_ms) VALUES ('req_1', 0)");
  expect(looksOf(readTrafficSlice({ limit: 10, prices_json: "{}" }))).toEqual([
    "SEARCH requests USING INTEGER PRIMARY KEY (rowid>?)",
    "SCAN traffic_waiting",
    expect.stringMatching(/^SEARCH requests USING INDEX sqlite_autoindex_requests_1 \(id=\?\)/),
  ]);
});
