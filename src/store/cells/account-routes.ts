import type { AccountStore } from "../../core/store/ports.ts";
import type { AccountArgs, AccountMethod } from "../calls/account-calls.ts";
import type { AccountResult, Asking } from "./asking.ts";
import { addEntry } from "./booked-once.ts";
import type { Cell, Cells } from "./cells.ts";
import {
  changedKeysOf,
  findByHash,
  labels,
  ofKey,
  ofProject,
  sought,
  sumCounts,
  sumTagNames,
  sumWallets,
} from "./found-in-cells.ts";
import { mergeRefusals, mergeRefused, mergeRequests, newestFirst, oldestFirst } from "./merge-lists.ts";
import { mergeHistories, mergeTraffic, wholeTraffic } from "./merge-traffic.ts";
import { mergeExplorations, mergeUsage, wholeUsage } from "./merge-usage.ts";
import { deleteProject, updateProject } from "./mirrored-changes.ts";
import { createAccount, findAccount, renameAccount } from "./new-accounts.ts";

type AccountRoute<M extends AccountMethod> = (on: Asking<M>, ...args: AccountArgs<M>) => Promise<AccountResult<M>>;

function home<M extends AccountMethod>(accountOf: (...args: AccountArgs<M>) => string): AccountRoute<M> {
  return ({ cells, ask }, ...args) =>
    cells.homeOf(accountOf(...args)).then<AccountResult<M>>((cell) => ask(cell, ...args));
}

/** Asks the cell of an account, or for none every cell, whose parts become one. */
function homeOrAll<M extends AccountMethod>(
  accountOf: (...args: AccountArgs<M>) => string | null | undefined,
  all: AccountRoute<M>,
): AccountRoute<M> {
  return (on, ...args) => {
    const account_id = accountOf(...args) ?? null;
    if (account_id === null) return all(on, ...args);
    return on.cells.homeOf(account_id).then<AccountResult<M>>((cell) => on.ask(cell, ...args));
  };
}

/** Asks every cell the same, and makes one of their parts. */
function all<M extends AccountMethod>(
  merge: (parts: AccountResult<M>[], ...args: AccountArgs<M>) => AccountResult<M>,
): AccountRoute<M> {
  return ({ cells, ask }, ...args) =>
    cells.each((cell) => ask(cell, ...args)).then<AccountResult<M>>((parts) => merge(parts, ...args));
}

/** Asks the cell that has a key or a project by its id. */
function found<M extends AccountMethod>(
  cellOf: (cells: Cells, ...args: AccountArgs<M>) => Promise<Cell>,
): AccountRoute<M> {
  return ({ cells, ask }, ...args) => cellOf(cells, ...args).then<AccountResult<M>>((cell) => ask(cell, ...args));
}

const first = (account_id: string): string => account_id;
const named = ({ account_id }: { readonly account_id: string }): string => account_id;
const namedOrAll = ({ account_id }: { readonly account_id: string | null }): string | null => account_id;
const byKey = (cells: Cells, key_id: string): Promise<Cell> => ofKey(cells, key_id);

/** Where each method of the account store is asked. A new method needs a row here. */
const ACCOUNT_ROUTES: { readonly [M in AccountMethod]: AccountRoute<M> } = {
  createAccount,
  findAccount,
  renameAccount,
  listAccounts: all((parts) => oldestFirst(parts)),
  async searchAccounts({ cells, ask }, query) {
    const asked = await placed(cells, "accounts", query);
    return asked === null ? [] : newestFirst(await cells.each((cell) => ask(cell, asked)), query.limit);
  },
  setAccountStatus: home(first),
  setAccountLimits: home(first),
  setTimeZone: home(first),
  accountBudgetUse: home(first),
  addEntry,
  listEntries: home(first),
  findCharge: async ({ cells, ask }, id) => (await cells.first((cell) => ask(cell, id)))?.found ?? null,
  findAutoTopUp: home(first),
  setAutoTopUp: home(named),
  removeAutoTopUp: home(first),
  createKey: home(named),
  listKeys: homeOrAll(
    (account_id) => account_id,
    all((parts) => oldestFirst(parts)),
  ),
  countLimits: all(sumCounts),
  searchKeys: homeOrAll(
    (account_id) => account_id,
    async ({ cells, ask }, _, query) => {
      const asked = await placed(cells, "keys", query);
      return asked === null ? [] : newestFirst(await cells.each((cell) => ask(cell, null, asked)), query.limit);
    },
  ),
  findKey: found(byKey),
  findKeyByHash: findByHash,
  changedKeys: changedKeysOf,
  setKeyStatus: found(byKey),
  updateKey: found(byKey),
  rollKey: found(byKey),
  deleteKey: found(byKey),
  renewPlaygroundKey: home(named),
  labelKeys: async ({ cells, ask }, ids) => labels(await cells.present((cell) => ask(cell, ids))),
  listTagNames: homeOrAll(
    (account_id) => account_id,
    all((parts, _, limit) => sumTagNames(parts, limit)),
  ),
  createProject: home(named),
  listProjects: homeOrAll(
    (account_id) => account_id,
    async ({ cells, ask }, _, query) => {
      const asked = await placed(cells, "projects", query);
      return asked === null ? [] : newestFirst(await cells.each((cell) => ask(cell, null, asked)), query.limit);
    },
  ),
  findProject: async ({ cells, ask }, id, account_id) => {
    if (account_id !== undefined) return ask(await cells.homeOf(account_id), id, account_id);
    return ask(await ofProject(cells, id), id);
  },
  updateProject,
  deleteProject,
  labelProjects: async ({ cells, ask }, ids) => labels(await cells.present((cell) => ask(cell, ids))),
  labelAccounts: ({ cells, ask }, ids) => ask(cells.directory, ids),
  budgetUses: home(first),
  ruleUses: home(first),
  tagValues: home(named),
  countTagValues: home(first),
  tagValue: home(named),
  setTagValue: home(named),
  raiseBudget: found((cells, holder, id) => {
    if (holder === "account") return cells.homeOf(id);
    return holder === "key" ? ofKey(cells, id) : ofProject(cells, id);
  }),
  contentSwitches: home(first),
  setContentSwitch: home(first),
  usageWindows: home(first),
  keyUsage: home(first),
  usageReport: homeOrAll(namedOrAll, all(mergeUsage)),
  exploreUsage: homeOrAll(namedOrAll, async ({ cells, ask }, query) =>
    mergeExplorations(await cells.each((cell) => ask(cell, wholeUsage(query))), query),
  ),
  reportTraffic: homeOrAll(namedOrAll, async ({ cells, ask }, query) => {
    const ofAll = (asked: typeof query) => cells.each((cell) => ask(cell, wholeTraffic(asked)));
    const is_compared = query.before !== null && query.group !== null;
    const before = is_compared ? await ofAll({ ...query, periods: [query.before], before: null }) : [];
    return mergeTraffic(await ofAll(query), before, query);
  }),
  vendorHistory: all(mergeHistories),
  listCircuitChanges: ({ cells, ask }, query) => ask(cells.directory, query),
  findRefused: homeOrAll(
    (account_id) => account_id,
    ({ cells, ask }, _, id) =>
      sought(
        cells,
        (cell) => ask(cell, null, id),
        id,
        ({ request_id, at_ms }) => ({ id: request_id, at_ms }),
      ),
  ),
  listRefusedRequests: homeOrAll(namedOrAll, all(mergeRefused)),
  listRefusals: homeOrAll(namedOrAll, all(mergeRefusals)),
  sumAccounts: all(sumWallets),
  async accountUses({ cells, ask }, ids) {
    const homes = await Promise.all(ids.map((id) => cells.homeOf(id)));
    const parts = await cells.each((cell) => {
      const own = ids.filter((_, at) => homes[at] === cell);
      return own.length === 0 ? Promise.resolve([]) : ask(cell, own);
    });
    const uses = new Map(parts.flat().map((use) => [use.account_id, use]));
    return [...new Set(ids)].flatMap((id) => uses.get(id) ?? []);
  },
  readOverview: home(first),
  readPulse: home(first),
  findRequest: homeOrAll(
    (account_id) => account_id,
    ({ cells, ask }, _, id) =>
      sought(
        cells,
        (cell) => ask(cell, null, id),
        id,
        ({ id: own, created_ms }) => ({ id: own, at_ms: created_ms }),
      ),
  ),
  listRequests: homeOrAll(namedOrAll, async ({ cells, ask }, query) => {
    const asked = query.before_id === undefined ? query : { ...query, before_ms: 0 };
    return mergeRequests(await cells.each((cell) => ask(cell, asked)), query);
  }),
  hasIdempotencyKey: home(first),
  createdAt: async ({ cells, ask }, list, id) => (await cells.first((cell) => ask(cell, list, id)))?.found ?? null,
  bookedFor: async ({ cells, ask }, id) => (await cells.first((cell) => ask(cell, id)))?.found ?? null,
  accountsAfter: ({ cells, ask }, account_id) => ask(cells.directory, account_id),
  drainedCells: ({ cells, ask }) => ask(cells.directory),
  placesAfter: ({ cells, ask }, account_id) => ask(cells.directory, account_id),
};

/** A page's query with the time of the row that it goes on from; null where no cell has that row. */
async function placed<Query extends { readonly before_id?: string; readonly before_ms?: number }>(
  cells: Cells,
  list: "accounts" | "keys" | "projects",
  query: Query,
): Promise<Query | null> {
  const { before_id } = query;
  if (before_id === undefined) return query;
  const created = await cells.first((cell) => cell.store.accounts.createdAt(list, before_id));
  return created && { ...query, before_ms: created.found };
}

/** Asks a method where its row says. Its arguments are those of the port. */
export function askAccounts<M extends AccountMethod>(
  cells: Cells,
  method: M,
  portOf: (cell: Cell) => AccountStore,
): (...args: AccountArgs<M>) => Promise<AccountResult<M>> {
  const ask = (cell: Cell, ...args: AccountArgs<M>): Promise<AccountResult<M>> => {
    const port = portOf(cell);
    const call = port[method] as (...given: AccountArgs<M>) => Promise<AccountResult<M>>;
    return call(...args);
  };
  const route = ACCOUNT_ROUTES[method] as AccountRoute<M>;
  return (...args) => route({ cells, ask }, ...args);
}
