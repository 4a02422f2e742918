import type { AccountStore } from "../../core/store/ports.ts";
import {
  addEntry,
  createAccount,
  deleteProject,
  findAccount,
  renameAccount,
  updateProject,
} from "./account-changes.ts";
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
import { type Created, mergeRefusals, mergeRefused, mergeRequests, newestFirst, oldestFirst } from "./merge-lists.ts";
import {
  mergeExplorations,
  mergeHistories,
  mergeTraffic,
  mergeUsage,
  wholeTraffic,
  wholeUsage,
} from "./merge-reports.ts";
import { all, type CellRoutes, directory, first, found, home, homeOr, named, present } from "./routes.ts";

const account = (account_id: string | null): string | null => account_id;
const ownAccount = (account_id: string): string => account_id;
const namedOrAll = ({ account_id }: { readonly account_id: string | null }): string | null => account_id;

/** Where each method of the account store is asked. A new method needs a row here. */
export const ACCOUNT_ROUTES: CellRoutes<AccountStore> = {
  createAccount,
  findAccount,
  renameAccount,
  listAccounts: all((parts) => oldestFirst(parts)),
  searchAccounts: ({ cells, ask }, query) => page(cells, "accounts", query, ask),
  setAccountStatus: home(ownAccount),
  setAccountLimits: home(ownAccount),
  setTimeZone: home(ownAccount),
  accountBudgetUse: home(ownAccount),
  addEntry,
  listEntries: home(ownAccount),
  findCharge: first(),
  findAutoTopUp: home(ownAccount),
  setAutoTopUp: home(named),
  removeAutoTopUp: home(ownAccount),
  createKey: home(named),
  listKeys: homeOr(
    account,
    all((parts) => oldestFirst(parts)),
  ),
  countLimits: all(sumCounts),
  searchKeys: homeOr(account, ({ cells, ask }, _, query) =>
    page(cells, "keys", query, (cell, asked) => ask(cell, null, asked)),
  ),
  findKey: found(ofKey),
  findKeyByHash: findByHash,
  changedKeys: changedKeysOf,
  setKeyStatus: found(ofKey),
  updateKey: found(ofKey),
  rollKey: found(ofKey),
  deleteKey: found(ofKey),
  renewPlaygroundKey: home(named),
  labelKeys: present(labels),
  listTagNames: homeOr(
    account,
    all((parts, _, limit) => sumTagNames(parts, limit)),
  ),
  createProject: home(named),
  listProjects: homeOr(account, ({ cells, ask }, _, query) =>
    page(cells, "projects", query, (cell, asked) => ask(cell, null, asked)),
  ),
  findProject: homeOr((_, account_id) => account_id, found(ofProject)),
  updateProject,
  deleteProject,
  labelProjects: present(labels),
  labelAccounts: directory(),
  budgetUses: home(ownAccount),
  ruleUses: home(ownAccount),
  tagValues: home(named),
  countTagValues: home(ownAccount),
  tagValue: home(named),
  setTagValue: home(named),
  raiseBudget: found((cells, holder, id) => {
    if (holder === "account") return cells.homeOf(id);
    return holder === "key" ? ofKey(cells, id) : ofProject(cells, id);
  }),
  contentSwitches: home(ownAccount),
  setContentSwitch: home(ownAccount),
  usageWindows: home(ownAccount),
  keyUsage: home(ownAccount),
  usageReport: homeOr(namedOrAll, all(mergeUsage)),
  exploreUsage: homeOr(namedOrAll, async ({ cells, ask }, query) =>
    mergeExplorations(await cells.each((cell) => ask(cell, wholeUsage(query))), query),
  ),
  reportTraffic: homeOr(namedOrAll, async ({ cells, ask }, query) => {
    const ofAll = (asked: typeof query) => cells.each((cell) => ask(cell, wholeTraffic(asked)));
    const is_compared = query.before !== null && query.group !== null;
    const before = is_compared ? await ofAll({ ...query, periods: [query.before], before: null }) : [];
    return mergeTraffic(await ofAll(query), before, query);
  }),
  vendorHistory: all(mergeHistories),
  listCircuitChanges: directory(),
  findRefused: homeOr(account, ({ cells, ask }, _, id) =>
    sought(
      cells,
      (cell) => ask(cell, null, id),
      id,
      ({ request_id, at_ms }) => ({ id: request_id, at_ms }),
    ),
  ),
  listRefusedRequests: homeOr(namedOrAll, all(mergeRefused)),
  listRefusals: homeOr(namedOrAll, all(mergeRefusals)),
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
  readOverview: home(ownAccount),
  readPulse: home(ownAccount),
  findRequest: homeOr(account, ({ cells, ask }, _, id) =>
    sought(
      cells,
      (cell) => ask(cell, null, id),
      id,
      ({ id: own, created_ms }) => ({ id: own, at_ms: created_ms }),
    ),
  ),
  listRequests: homeOr(namedOrAll, async ({ cells, ask }, query) => {
    const asked = query.before_id === undefined ? query : { ...query, before_ms: 0 };
    return mergeRequests(await cells.each((cell) => ask(cell, asked)), query);
  }),
  hasIdempotencyKey: home(ownAccount),
  createdAt: first(),
  bookedFor: first(),
  accountsAfter: directory(),
  drainedCells: directory(),
  placesAfter: directory(),
};

/** A page of all accounts' rows, the newest first: behind the row that is given, which one cell has; empty where none has it. */
async function page<Query extends PageQuery, Row extends Created>(
  cells: Cells,
  list: "accounts" | "keys" | "projects",
  query: Query,
  ask: (cell: Cell, asked: Query) => Promise<Row[]>,
): Promise<Row[]> {
  const { before_id, limit } = query;
  const before =
    before_id === undefined ? undefined : await cells.first((cell) => cell.store.accounts.createdAt(list, before_id));
  if (before === null) return [];
  const asked = before === undefined ? query : { ...query, before_ms: before.found };
  return newestFirst(await cells.each((cell) => ask(cell, asked)), limit);
}

interface PageQuery {
  readonly before_id?: string;
  readonly before_ms?: number;
  readonly limit: number;
}
