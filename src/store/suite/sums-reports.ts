import type { AccountStore, UsageExploreQuery, UsageQuery } from "../../core/store/ports.ts";
import type { Customer, TestDatabase } from "./books.ts";
import { dayNamed, TODAY } from "./explore.suite.ts";

/** Days with usage, enough for sums of spans of all sizes but the longest. */
export const DAYS = 150;

/** What is compared: reports over ranges of days, each of them or every so many. */
export interface Compared {
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly every: number;
}

const ALL_DAYS = [TODAY - DAYS, TODAY] as const;
/**
 * Of a range there are a hundred and fifty reports. Every fifth of them have each value of a tag, grouping and shape among them; the drills, which try
 * many histories, compare all.
 */
const SOME: Compared = { ranges: [ALL_DAYS], every: 5 };
const ALL: Compared = {
  ranges: [ALL_DAYS, [TODAY - 7, TODAY - 7], [TODAY - 29, TODAY], [TODAY - 60, TODAY - 1]],
  every: 1,
};
const MANY_HISTORIES = 30;

/** Which reports are compared where so many random histories are tried. */
export function comparedFor(histories: number): Compared {
  return histories >= MANY_HISTORIES ? ALL : SOME;
}

type Report = (accounts: AccountStore) => Promise<unknown>;

/** Reports on all accounts that sums can answer, and some that they cannot. */
export async function usageReports(
  { store: { accounts } }: TestDatabase,
  customer: Customer,
  { ranges, every }: Compared,
): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const [first, last] of ranges) {
    const range = { account_id: null, since: dayNamed(first), until: dayNamed(last) };
    const more = [...keyReports(range, customer.key.id), ...tagReports(range)].filter((_, at) => at % every === 0);
    for (const report of [...plainReports(range), ...more]) told.push(await report(accounts));
  }
  told.push(await accounts.usageReport({ account_id: null, since: null, until: null, by: "account" }));
  return told;
}

type Range = Pick<UsageExploreQuery, "account_id" | "since" | "until">;

function plainReports(range: Range): Report[] {
  const shapes = ["key", "account", "model", "day", "project"] as const satisfies readonly UsageQuery["by"][];
  return shapes.map((by) => (accounts) => accounts.usageReport({ ...range, by }));
}

function keyReports(range: Range, key_id: string): Report[] {
  const found: Report[] = [];
  for (const group of ["key", "model", "project", null] as const satisfies readonly UsageExploreQuery["group"][]) {
    for (const by_day of [true, false]) {
      const shape = { ...range, by_day, group, top: 2, limit: 10_000 };
      found.push((accounts) => accounts.exploreUsage(shape));
      found.push((accounts) => accounts.exploreUsage({ ...shape, model: "long/1" }));
      found.push((accounts) => accounts.exploreUsage({ ...shape, top: null, key_id }));
    }
  }
  return found;
}

/** The values of a tag, and what has one of them, told apart in every way. */
function tagReports(range: Range): Report[] {
  const tag = "sums-team";
  const found: Report[] = [];
  for (const tag_value of [undefined, "red", "carried", ""]) {
    const narrow = { ...range, tag, ...(tag_value !== undefined && { tag_value }) };
    for (const by of ["tag", "key", "account", "model", "day"] as const satisfies readonly UsageQuery["by"][])
      found.push((accounts) => accounts.usageReport({ ...narrow, by }));
    for (const group of ["tag", "key", "model", null] as const satisfies readonly UsageExploreQuery["group"][]) {
      for (const by_day of [true, false]) {
        const shape = { ...narrow, by_day, group, limit: 10_000 };
        found.push((accounts) => accounts.exploreUsage({ ...shape, top: 1 }));
        found.push((accounts) => accounts.exploreUsage({ ...shape, top: null }));
        found.push((accounts) => accounts.exploreUsage({ ...shape, top: 2, model: "long/1" }));
      }
    }
  }
  return found;
}
