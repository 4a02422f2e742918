import type { AccountStore, UsageExploreQuery, UsageQuery } from "../../core/store/ports.ts";
import type { Customer, TestDatabase } from "./books.ts";
import { dayNamed, TODAY } from "./explore.suite.ts";

/** Days with usage, enough for sums of spans of all sizes but the longest. */
export const DAYS = 150;

export type Ranges = readonly (readonly [first: number, last: number])[];
/** Of each there are a hundred and fifty reports: the drills, which try many histories, ask for the others too. */
const RANGES: Ranges = [[TODAY - DAYS, TODAY]];
const MORE_RANGES: Ranges = [
  [TODAY - 7, TODAY - 7],
  [TODAY - 29, TODAY],
  [TODAY - 60, TODAY - 1],
];
const MANY_HISTORIES = 30;

/** The ranges of days that reports are asked for. */
export function rangesFor(histories: number): Ranges {
  return histories >= MANY_HISTORIES ? [...RANGES, ...MORE_RANGES] : RANGES;
}

/** Every report on all accounts that sums can answer, and some that they cannot. */
export async function usageReports(
  { store: { accounts } }: TestDatabase,
  customer: Customer,
  ranges: Ranges,
): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const [first, last] of ranges) {
    const range = { account_id: null, since: dayNamed(first), until: dayNamed(last) };
    for (const by of ["key", "account", "model", "day", "project"] as const satisfies readonly UsageQuery["by"][]) {
      told.push(await accounts.usageReport({ ...range, by }));
    }
    told.push(...(await tagReports(accounts, range)));
    for (const group of ["key", "model", "project", null] as const satisfies readonly UsageExploreQuery["group"][]) {
      for (const by_day of [true, false]) {
        const shape = { ...range, by_day, group, top: 2, limit: 10_000 };
        told.push(await accounts.exploreUsage(shape));
        told.push(await accounts.exploreUsage({ ...shape, model: "long/1" }));
        told.push(await accounts.exploreUsage({ ...shape, top: null, key_id: customer.key.id }));
      }
    }
  }
  told.push(await accounts.usageReport({ account_id: null, since: null, until: null, by: "account" }));
  return told;
}

/** The values of a tag, and what has one of them, told apart in every way. */
async function tagReports(
  accounts: AccountStore,
  range: Pick<UsageExploreQuery, "account_id" | "since" | "until">,
): Promise<unknown[]> {
  const tag = "sums-team";
  const told: unknown[] = [];
  for (const tag_value of [undefined, "red", "carried", ""]) {
    const narrow = { ...range, tag, ...(tag_value !== undefined && { tag_value }) };
    for (const by of ["tag", "key", "account", "model", "day"] as const satisfies readonly UsageQuery["by"][]) {
      told.push(await accounts.usageReport({ ...narrow, by }));
    }
    for (const group of ["tag", "key", "model", null] as const satisfies readonly UsageExploreQuery["group"][]) {
      for (const by_day of [true, false]) {
        const shape = { ...narrow, by_day, group, limit: 10_000 };
        told.push(await accounts.exploreUsage({ ...shape, top: 1 }));
        told.push(await accounts.exploreUsage({ ...shape, top: null }));
        told.push(await accounts.exploreUsage({ ...shape, top: 2, model: "long/1" }));
      }
    }
  }
  return told;
}
