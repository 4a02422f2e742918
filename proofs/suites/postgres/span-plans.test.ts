import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { MS_PER_DAY } from "../../../src/core/clock.ts";
import { exploreUsage } from "../../../src/store/accounts/explore-usage.ts";
import { usageReport } from "../../../src/store/accounts/usage.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { encodeSet } from "../../../src/store/postgres/encode-values.ts";
import { REPORTING } from "../../../src/store/postgres/postgres-database.ts";
import { isSet, runAwaited, type Step, type Work } from "../../../src/store/sql/work.ts";
import { reportTraffic } from "../../../src/store/traffic/report-traffic.ts";
import { countTraffic } from "../../fill/count-traffic.ts";
import { fill } from "../../fill/fill.ts";
import { freshDatabase } from "../../support/postgres.ts";

/**
 * What PostgreSQL expects of reports on all accounts, whose spans and days are parameters (docs/design/reports.md): as many pairs as there are, and
 * the days between the first and the last of them. It expects a hundred of a function whose length it cannot see, and then reads whole indices.
 */

const DAYS = 30;
const TODAY = Math.floor(Date.now() / MS_PER_DAY);
const nameOf = (day: number): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
const WITHIN = { account_id: null, since: nameOf(TODAY - 20), until: nameOf(TODAY) };

let session: SQL;

beforeAll(async () => {
  const database = await freshDatabase();
  const amounts = { requests: 2000, accounts: 20, days: DAYS, seed: 5, at_once: 1000 };
  await fill({ ...amounts, database, in_two_steps: false, with_tags: true }, () => {});
  await countTraffic(database);
  const store = await openStore({ url: database, node_id: "node_test" });
  for (const span of await store.upkeep.closeDays()) while (await store.upkeep.makeSums(span));
  expect(await store.upkeep.closeDays()).toEqual([]);
  await store.close();
  session = new SQL(database, { max: 1, connection: REPORTING });
  await session.unsafe("VACUUM ANALYZE");
}, 120_000);
afterAll(() => session?.close());

interface Planned {
  readonly step: Step;
  readonly plan: string;
}

/** The plans of the statements of a work that take pairs apart, each made for its own parameters. */
async function plansOf(work: Work<unknown>): Promise<Planned[]> {
  const plans: Planned[] = [];
  await runAwaited(work, async (step) => {
    if (isSet(step)) return await session.unsafe(step.statement.postgres, [encodeSet(step)]);
    const { statement, params } = step;
    const lines: Record<"QUERY PLAN", string>[] = await session.unsafe(`EXPLAIN ${statement.postgres}`, [...params]);
    const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
    if (plan.includes("generate_series")) plans.push({ step, plan });
    return await session.unsafe(statement.postgres, [...params]);
  });
  return plans;
}

/** How many pairs each parameter has that is a list of pairs; a list of none has no plan. */
function pairCounts({ params }: Step): number[] {
  const texts = params.filter((param) => typeof param === "string" && /^\[(\[|\])/.test(param));
  return texts.map((text) => (JSON.parse(String(text)) as unknown[]).length).filter((count) => count > 0);
}

function expectedRows(plan: string): number[] {
  return Array.from(plan.matchAll(/Function Scan on generate_series n\w* +\(cost=\S+ rows=(\d+)/g), ([, count]) =>
    Number(count),
  );
}

const ascending = (counts: readonly number[]): number[] => counts.toSorted((a, b) => a - b);

describe("PostgreSQL sees how many spans and which days are read", () => {
  const tag = "team";
  const USAGE: Readonly<Record<string, () => Work<unknown>>> = {
    "by key": () => usageReport({ ...WITHIN, by: "key" }),
    "by day": () => usageReport({ ...WITHIN, by: "day" }),
    "by tag": () => usageReport({ ...WITHIN, by: "tag", tag }),
    "by day and tag": () => exploreUsage({ ...WITHIN, by_day: true, group: "tag", tag, top: 3, limit: 100 }),
  };
  for (const [name, ask] of Object.entries(USAGE)) {
    test(`of the usage ${name}`, async () => {
      const plans = await plansOf(ask());
      expect(plans).not.toEqual([]);
      for (const { step, plan } of plans) {
        expect(ascending(expectedRows(plan))).toEqual(ascending(pairCounts(step)));
        // Yesterday may not be summed up yet.
        expect(plan).toMatch(new RegExp(`usage_days_by_day .*\\n.*day >= '(${TODAY}|${TODAY - 1})'::bigint\\)`));
      }
    });
  }

  test("of the traffic by key", async () => {
    const periods = Array.from({ length: 20 }, (_, at) => [(TODAY - 19 + at) * 24, (TODAY - 18 + at) * 24] as const);
    const asked = { account_id: null, by_day: true, group: "key", periods, before: null, top: 3 } as const;
    const [groups] = await plansOf(reportTraffic(asked));
    if (groups === undefined) throw new Error("no statement takes pairs apart");
    expect(ascending(expectedRows(groups.plan))).toEqual(ascending(pairCounts(groups.step)));
    expect(pairCounts(groups.step).length).toBe(2);
  });
});
