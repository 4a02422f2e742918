import type { TrafficGroup, TrafficQuery } from "../../core/operations/traffic.ts";
import type { AccountStore, Store, UsageExploreQuery, UsageQuery } from "../../core/store/ports.ts";

/** Reports and lists of all accounts, for tests that compare what two databases say. */

type Report = (accounts: AccountStore) => Promise<unknown>;

export interface Range {
  /** UTC days. */
  readonly first: string;
  readonly last: string;
  /** The hour, since the epoch, in which the last rows may lie. */
  readonly hour: number;
}

/** Every report on all accounts, by name. */
export function everyReport(range: Range): [name: string, report: Report][] {
  return [...usageReports(range), ...explorations(range), ...trafficReports(range), ...sums()];
}

function usageReports({ first, last }: Range): [string, Report][] {
  const shapes = ["key", "account", "model", "day", "project"] as const satisfies readonly UsageQuery["by"][];
  const range = { account_id: null, since: first, until: last };
  return [
    ...shapes.map((by): [string, Report] => [`usage by ${by}`, (accounts) => accounts.usageReport({ ...range, by })]),
    ["usage by tag", (accounts) => accounts.usageReport({ ...range, by: "tag", tag: "team" })],
  ];
}

function explorations({ first, last }: Range): [string, Report][] {
  const found: [string, Report][] = [];
  for (const group of ["key", "model", "project", "tag", null] as const satisfies readonly UsageExploreQuery["group"][])
    for (const by_day of [true, false])
      for (const top of [1, 2, 5, null])
        for (const limit of by_day && group !== null ? [10_000] : [2, 10_000]) {
          const shape = { account_id: null, since: first, until: last, group, by_day, top, limit };
          const query = group === "tag" ? { ...shape, tag: "team" } : shape;
          const name = `usage by ${group}${by_day ? " and day" : ""}, top ${top}, ${limit} rows`;
          found.push([name, (accounts) => accounts.exploreUsage(query)]);
        }
  return found;
}

const HOURS = 24;

function trafficReports({ hour }: Range): [string, Report][] {
  const today = Math.floor(hour / HOURS);
  const days = Array.from({ length: 3 }, (_, at) => [(today - 2 + at) * HOURS, (today - 1 + at) * HOURS] as const);
  const shapes: readonly (Pick<TrafficQuery, "periods" | "before" | "by_day"> & { readonly name: string })[] = [
    { name: "by day", periods: days, before: [(today - 5) * HOURS, (today - 2) * HOURS], by_day: true },
    {
      name: "by hours",
      periods: [
        [hour - 40, hour - 20],
        [hour - 20, hour + 1],
      ],
      before: [hour - 101, hour - 40],
      by_day: false,
    },
    {
      name: "of a time without any",
      periods: [[hour - 9999, hour - 9000]],
      before: [hour - 101, hour + 1],
      by_day: false,
    },
    { name: "without comparison", periods: [[hour - 101, hour + 1]], before: null, by_day: false },
  ];
  const groups = [
    "account",
    "key",
    "model",
    "vendor",
    "route",
    "status",
    "error",
    null,
  ] as const satisfies readonly (TrafficGroup | null)[];
  const found: [string, Report][] = [];
  for (const { name, ...shape } of shapes)
    for (const group of groups)
      for (const top of [1, 3, 100])
        for (const status of [undefined, "failed", "refused"] as const)
          found.push([
            `traffic ${name} by ${group}, top ${top}, ${status ?? "all"}`,
            async (accounts) => {
              const narrow = status === undefined ? {} : { status };
              const { counted_ms: _, ...told } = await accounts.reportTraffic({
                account_id: null,
                ...shape,
                group,
                top,
                ...narrow,
              });
              return told;
            },
          ]);
  return found;
}

function sums(): [string, Report][] {
  return [
    ["wallets", async (accounts) => ({ ...(await accounts.sumAccounts()), counted_ms: null })],
    ["limits", (accounts) => accounts.countLimits()],
    ["names of tags", (accounts) => accounts.listTagNames(null, 10)],
    ["accounts", async (accounts) => (await accounts.listAccounts()).map(({ id }) => id)],
    ["keys", async (accounts) => (await accounts.listKeys(null)).map(({ id }) => id)],
    [
      "vendors",
      async (accounts) => ({
        ...(await accounts.vendorHistory({ from_slot: 0, to_slot: 2 ** 31, step_slots: 24 })),
        counted_ms: null,
      }),
    ],
    ...Array.from({ length: 8 }, (_, no): [string, Report] => [
      `a request by its client's id ${no}`,
      async (accounts) => (await accounts.findRequest(null, `job-${no}`))?.created_ms,
    ]),
    ...Array.from({ length: 5 }, (_, no): [string, Report] => [
      `a refused request by its client's id ${no}`,
      async (accounts) => (await accounts.findRefused(null, `client-${no}`))?.at_ms,
    ]),
  ];
}

/** Every page of a list. `read` is asked for the rows that are older than a row; none: the newest. */
export async function pagesOf<Row extends { readonly id: string }>(
  read: (before_id: string | undefined) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (;;) {
    const page = await read(found.at(-1)?.id);
    if (page.length === 0) return found;
    found.push(...page);
  }
}

type Walk = (store: Store, limit: number) => Promise<readonly unknown[]>;

/** Every list of all accounts, walked to its end in pages of a length. */
export function walkedLists(): [name: string, walk: Walk][] {
  const after = (before_id: string | undefined) => (before_id === undefined ? {} : { before_id });
  const ids = async (rows: Promise<readonly { readonly id: string }[]>) => (await rows).map(({ id }) => id);
  return [
    ["accounts", ({ accounts }, limit) => ids(pagesOf((id) => accounts.searchAccounts({ limit, ...after(id) })))],
    [
      "accounts with a name",
      ({ accounts }, limit) =>
        ids(pagesOf((id) => accounts.searchAccounts({ limit, search: "merged 1", ...after(id) }))),
    ],
    ["keys", ({ accounts }, limit) => ids(pagesOf((id) => accounts.searchKeys(null, { limit, ...after(id) })))],
    [
      "keys with a tag",
      ({ accounts }, limit) =>
        ids(pagesOf((id) => accounts.searchKeys(null, { limit, tag: { name: "team", value: "red" }, ...after(id) }))),
    ],
    ["requests", (store, limit) => walkRequests(store, limit, {})],
    ["requests of a model", (store, limit) => walkRequests(store, limit, { model: "acme/m1" })],
    ["failed requests", (store, limit) => walkRequests(store, limit, { outcome: "failed" })],
    ["running requests", (store, limit) => walkRequests(store, limit, { outcome: "running" })],
    ["refusals", walkRefusals],
    ["refused requests", async ({ accounts }) => accounts.listRefusedRequests({ account_id: null, limit: 1000 })],
  ];
}

async function walkRequests(
  { accounts }: Store,
  limit: number,
  narrow: { readonly model?: string; readonly outcome?: "failed" | "running" },
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let before_id: string | undefined; ; ) {
    const page = await accounts.listRequests({
      account_id: null,
      limit,
      ...narrow,
      ...(before_id !== undefined && { before_id }),
    });
    found.push(...page.requests.map(({ id, created_ms, charge_micro }) => [id, created_ms, charge_micro]));
    if (page.next_before === null) return found;
    before_id = page.next_before;
  }
}

async function walkRefusals({ accounts }: Store, limit: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let to_ms: number | undefined; ; ) {
    const page = await accounts.listRefusals({ account_id: null, limit, ...(to_ms !== undefined && { to_ms }) });
    found.push(...page.sums);
    if (page.next_to_ms === null) return found;
    to_ms = page.next_to_ms;
  }
}
