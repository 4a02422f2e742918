import type { AccountStore } from "../../core/ports.ts";
import type { Work } from "../sql/work.ts";
import { findAutoTopUp, removeAutoTopUp, setAutoTopUp } from "./auto-top-ups.ts";
import { budgetUses } from "./budgets.ts";
import { createAccount, findAccount, listAccounts, setAccountStatus } from "./accounts.ts";
import { addEntry, findCharge, listEntries } from "./entries.ts";
import { exploreUsage } from "./explore-usage.ts";
import { createKey, deleteKey, findKey, findKeyByHash, labelKeys, listKeys, setKeyStatus, updateKey } from "./keys.ts";
import { readOverview, readPulse } from "./overview.ts";
import { renewPlaygroundKey } from "./playground-keys.ts";
import { findRequest, listRequests } from "./requests.ts";
import { usageReport, usageWindows } from "./usage.ts";

export type AccountMethod = keyof AccountStore;
export type AccountArgs<M extends AccountMethod> = Parameters<AccountStore[M]>;
type AccountWorks = {
  readonly [M in AccountMethod]: (...args: AccountArgs<M>) => Work<Awaited<ReturnType<AccountStore[M]>>>;
};

/** Every method of the account store as a work, once for both drivers. */
export const ACCOUNT_WORKS: AccountWorks = {
  createAccount,
  listAccounts,
  findAccount,
  setAccountStatus,
  addEntry,
  listEntries,
  findCharge,
  findAutoTopUp,
  setAutoTopUp,
  removeAutoTopUp,
  createKey,
  listKeys,
  findKey,
  findKeyByHash,
  setKeyStatus,
  updateKey,
  deleteKey,
  renewPlaygroundKey,
  labelKeys,
  budgetUses,
  usageWindows,
  usageReport,
  exploreUsage,
  readOverview,
  readPulse,
  findRequest,
  listRequests,
};

/** Methods that change something: they take their turn with the ledger's commits. The others only read. */
const WRITES: ReadonlySet<AccountMethod> = new Set<AccountMethod>([
  "createAccount",
  "setAccountStatus",
  "addEntry",
  "createKey",
  "setKeyStatus",
  "updateKey",
  "deleteKey",
  "renewPlaygroundKey",
  "setAutoTopUp",
  "removeAutoTopUp",
]);

export function isWrite(method: AccountMethod): boolean {
  return WRITES.has(method);
}

/** Methods that read only what the ledger's commits never change. */
const BESIDE_BOOKS: ReadonlySet<AccountMethod> = new Set<AccountMethod>(["findKeyByHash", "labelKeys"]);

/** Whether a method reads what the ledger's commits change. */
export function readsBooks(method: AccountMethod): boolean {
  return !BESIDE_BOOKS.has(method);
}

/** Methods that read several things which must fit together. */
const SNAPSHOTS: ReadonlySet<AccountMethod> = new Set<AccountMethod>(["exploreUsage", "readOverview", "readPulse"]);

export function isSnapshot(method: AccountMethod): boolean {
  return SNAPSHOTS.has(method);
}

/** How a driver runs a method, wherever that is. */
export type RunAccountMethod = <M extends AccountMethod>(
  method: M,
  args: AccountArgs<M>,
) => ReturnType<AccountStore[M]>;

export function accountStore(run: RunAccountMethod): AccountStore {
  return {
    createAccount: (...args) => run("createAccount", args),
    listAccounts: (...args) => run("listAccounts", args),
    findAccount: (...args) => run("findAccount", args),
    setAccountStatus: (...args) => run("setAccountStatus", args),
    addEntry: (...args) => run("addEntry", args),
    listEntries: (...args) => run("listEntries", args),
    findCharge: (...args) => run("findCharge", args),
    findAutoTopUp: (...args) => run("findAutoTopUp", args),
    setAutoTopUp: (...args) => run("setAutoTopUp", args),
    removeAutoTopUp: (...args) => run("removeAutoTopUp", args),
    createKey: (...args) => run("createKey", args),
    listKeys: (...args) => run("listKeys", args),
    findKey: (...args) => run("findKey", args),
    findKeyByHash: (...args) => run("findKeyByHash", args),
    setKeyStatus: (...args) => run("setKeyStatus", args),
    updateKey: (...args) => run("updateKey", args),
    deleteKey: (...args) => run("deleteKey", args),
    renewPlaygroundKey: (...args) => run("renewPlaygroundKey", args),
    labelKeys: (...args) => run("labelKeys", args),
    budgetUses: (...args) => run("budgetUses", args),
    usageWindows: (...args) => run("usageWindows", args),
    usageReport: (...args) => run("usageReport", args),
    exploreUsage: (...args) => run("exploreUsage", args),
    readOverview: (...args) => run("readOverview", args),
    readPulse: (...args) => run("readPulse", args),
    findRequest: (...args) => run("findRequest", args),
    listRequests: (...args) => run("listRequests", args),
  };
}
