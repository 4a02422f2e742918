import { MS_PER_DAY } from "../../src/core/clock.ts";
import type { TrafficQuery } from "../../src/core/operations/traffic.ts";
import type { KeyTag } from "../../src/core/people/keys.ts";
import type { AccountStore, RequestQuery, UsageExploreQuery } from "../../src/core/store/ports.ts";
import { openStore } from "../../src/store/open-store.ts";
import { NODE } from "./targets.ts";

const MS_PER_HOUR = 3_600_000;
const HOURS_PER_DAY = 24;
const YEAR_DAYS = 365;
const PAGE = 50;

/** One question that a page of the console, the API or a command asks. */
interface Look {
  readonly name: string;
  ask(accounts: AccountStore): Promise<unknown>;
}

/** What is asked for: the account that made the newest request, a request of each age. */
interface Asked {
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly newest_id: string;
  readonly oldest_id: string;
  readonly client_id: string | null;
  /** A tag of keys or requests, and one of its values; null where nothing has tags. */
  readonly tag: KeyTag | null;
}

/**
 * Asks a database what the console's pages, the API and the commands ask, each question twice, and prints how long each took: the first
 * answer may have been read from the disk.
 */
export async function printLooks(url: string): Promise<void> {
  const store = await openStore({ url, node_id: NODE });
  const asked = await whatToAsk(store.accounts);
  if (asked === null) {
    console.log("\nno requests to look at");
  } else {
    console.log("\nfirst ms, again ms, question");
    for (const { name, ask } of [...requestLooks(asked), ...usageLooks(asked), ...accountLooks(asked)]) {
      const first_ms = await timed(() => ask(store.accounts));
      const again_ms = await timed(() => ask(store.accounts));
      console.log(`${first_ms.toFixed(0).padStart(8)} ${again_ms.toFixed(0).padStart(8)}  ${name}`);
    }
  }
  await store.ledger.leave(NODE);
  await store.close();
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const started_ms = performance.now();
  await ask();
  return performance.now() - started_ms;
}

async function whatToAsk(accounts: AccountStore): Promise<Asked | null> {
  const { requests } = await accounts.listRequests({ account_id: null, limit: PAGE });
  const [newest] = requests;
  if (newest === undefined) return null;
  const { account_id, key_id, model } = newest;
  const oldest_id = await oldestOf(accounts, account_id);
  const client_id = requests.find(({ client_request_id }) => client_request_id !== null)?.client_request_id ?? null;
  const tag = await tagOf(accounts);
  return { account_id, key_id, model, newest_id: newest.id, oldest_id: oldest_id ?? newest.id, client_id, tag };
}

/** The last of the first names, and the value that cost most in a month. */
async function tagOf(accounts: AccountStore): Promise<KeyTag | null> {
  const name = (await accounts.listTagNames(null, PAGE)).at(-1)?.name;
  if (name === undefined) return null;
  const asked = { account_id: null, since: dayOf(30), until: dayOf(0), group: "tag", tag: name } as const;
  const { groups } = await accounts.exploreUsage({ ...asked, by_day: false, top: null, limit: PAGE });
  return { name, value: groups.find(({ id }) => id !== null && id !== "")?.id ?? "" };
}

function dayOf(ago: number): string {
  return new Date(Date.now() - ago * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The oldest request of an account, found by halving the time. */
async function oldestOf(accounts: AccountStore, account_id: string): Promise<string | null> {
  let oldest: string | null = null;
  let none_before_ms = 0;
  for (let before_ms = Date.now(); before_ms - none_before_ms > MS_PER_HOUR; ) {
    const middle_ms = Math.floor((none_before_ms + before_ms) / 2);
    const page = await accounts.listRequests({ account_id, limit: 1, to_ms: middle_ms });
    const [found] = page.requests;
    if (found === undefined) none_before_ms = middle_ms;
    else [oldest, before_ms] = [found.id, found.created_ms + 1];
  }
  return oldest;
}

function requestLooks({ account_id, key_id, model, newest_id, oldest_id, client_id }: Asked): Look[] {
  const looks: Look[] = [];
  const list = (name: string, query: Omit<RequestQuery, "limit">): void => {
    looks.push({ name, ask: (accounts) => accounts.listRequests({ ...query, limit: PAGE }) });
  };
  const year_ago_ms = Date.now() - (YEAR_DAYS - 2) * MS_PER_DAY;
  for (const whose of [null, account_id]) {
    const of = whose === null ? "of all accounts" : "of an account";
    const from = { account_id: whose };
    list(`requests ${of}, the newest`, from);
    list(`requests ${of}, before an old one`, { ...from, before_id: oldest_id });
    list(`requests ${of} that failed`, { ...from, outcome: "failed" });
    list(`requests ${of} whose client left (none)`, { ...from, outcome: "left" });
    list(`requests ${of} that run`, { ...from, outcome: "running" });
    list(`requests ${of} with a model`, { ...from, model });
    list(`requests ${of} with a key`, { ...from, key_id });
    list(`requests ${of} of an old day`, { ...from, from_ms: year_ago_ms, to_ms: year_ago_ms + MS_PER_DAY });
    list(`requests ${of} whose id begins with …`, { ...from, search: newest_id.slice(0, 9) });
    list(`requests ${of} whose id is …`, { ...from, search: oldest_id });
    looks.push({ name: `the receipt of the oldest ${of}`, ask: (each) => each.findRequest(whose, oldest_id) });
    const named = client_id ?? "none";
    looks.push({ name: `a receipt ${of} by the client's id`, ask: (each) => each.findRequest(whose, named) });
    looks.push({ name: `a receipt ${of} of no request`, ask: (each) => each.findRequest(whose, "req_none") });
  }
  looks.push({ name: "the charge of the oldest", ask: (each) => each.findCharge(oldest_id) });
  looks.push({ name: "refusals of all accounts", ask: (each) => each.listRefusals({ account_id: null, limit: PAGE }) });
  return looks;
}

function usageLooks({ account_id, key_id, model, tag }: Asked): Look[] {
  const looks: Look[] = [];
  for (const whose of [null, account_id]) {
    for (const days of [30, YEAR_DAYS]) {
      const of = `${whose === null ? "of all accounts" : "of an account"}, ${days} days`;
      const range = { account_id: whose, since: dayOf(days), until: dayOf(0) };
      for (const by of ["day", "model", "key", "account"] as const) {
        looks.push({ name: `usage ${of} by ${by}`, ask: (each) => each.usageReport({ ...range, by }) });
      }
      const explored = { ...range, top: 8, limit: 4000, by_day: true };
      for (const group of ["model", "key", null] as const) {
        const name = `usage ${of} by day and ${group ?? "nothing"}`;
        looks.push({ name, ask: (each) => each.exploreUsage({ ...explored, group }) });
      }
      if (tag !== null) looks.push(...tagLooks(of, range, tag));
      const traffic = { account_id: whose, by_day: days > 30, top: 8, ...daysUpToNow(days) } as const;
      for (const group of ["model", "vendor", "status", "key"] as const satisfies readonly TrafficQuery["group"][]) {
        looks.push({ name: `traffic ${of} by ${group}`, ask: (each) => each.reportTraffic({ ...traffic, group }) });
      }
      looks.push({ name: `traffic ${of} of a model`, ask: (e) => e.reportTraffic({ ...traffic, group: null, model }) });
      looks.push({ name: `traffic ${of} of a key`, ask: (e) => e.reportTraffic({ ...traffic, group: null, key_id }) });
    }
  }
  return looks;
}

type UsageRange = Pick<UsageExploreQuery, "account_id" | "since" | "until">;

/** Usage by the values of a tag, and of one value. */
function tagLooks(of: string, range: UsageRange, { name, value: tag_value }: KeyTag): Look[] {
  const days = { ...range, top: 8, limit: 4000, by_day: true };
  return [
    { name: `usage ${of} by tag`, ask: (each) => each.usageReport({ ...range, by: "tag", tag: name }) },
    { name: `usage ${of} by day and tag`, ask: (e) => e.exploreUsage({ ...days, group: "tag", tag: name }) },
    ...(["key", "model", null] as const).map((group) => ({
      name: `usage ${of} with a tag, by day and ${group ?? "nothing"}`,
      ask: (each: AccountStore) => each.exploreUsage({ ...days, group, tag: name, tag_value }),
    })),
  ];
}

/** Days as spans of hours, the last of them today, and the time before that is as long. */
function daysUpToNow(days: number): Pick<TrafficQuery, "periods" | "before"> {
  const end = (Math.floor(Date.now() / MS_PER_DAY) + 1) * HOURS_PER_DAY;
  const first = end - days * HOURS_PER_DAY;
  const startOf = (at: number): number => first + at * HOURS_PER_DAY;
  const periods = Array.from({ length: days }, (_, at) => [startOf(at), startOf(at + 1)] as const);
  return { periods, before: [first - days * HOURS_PER_DAY, first] };
}

function accountLooks({ account_id }: Asked): Look[] {
  const before_ms = Date.now() - (YEAR_DAYS - 2) * MS_PER_DAY;
  return [
    { name: "an account's overview", ask: (each) => each.readOverview(account_id) },
    { name: "an account's pulse", ask: (each) => each.readPulse(account_id) },
    { name: "an account's usage today, this week and month", ask: (each) => each.usageWindows(account_id) },
    { name: "an account's entries, the newest", ask: (each) => each.listEntries(account_id, PAGE) },
    { name: "an account's entries, a year ago", ask: (each) => each.listEntries(account_id, PAGE, { before_ms }) },
    { name: "an account's credits", ask: (each) => each.listEntries(account_id, PAGE, { kind: "credit" }) },
    { name: "the budgets of an account's keys", ask: (each) => each.budgetUses(account_id) },
    { name: "accounts, a page", ask: (each) => each.searchAccounts({ limit: PAGE }) },
    { name: "accounts, searched", ask: (each) => each.searchAccounts({ limit: PAGE, search: "account 1" }) },
    { name: "all wallets together", ask: (each) => each.sumAccounts() },
    { name: "keys of all accounts, a page", ask: (each) => each.searchKeys(null, { limit: PAGE }) },
    { name: "keys of all accounts, searched", ask: (each) => each.searchKeys(null, { limit: PAGE, search: "key 1" }) },
    { name: "keys of an account", ask: (each) => each.listKeys(account_id) },
  ];
}
