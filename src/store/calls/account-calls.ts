import type { AccountStore } from "../../core/store/ports.ts";
import { accountBudgetUse, setAccountLimits } from "../accounts/account-limits.ts";
import { accountUses, sumAccounts } from "../accounts/account-sums.ts";
import {
  createAccount,
  findAccount,
  labelAccounts,
  listAccounts,
  renameAccount,
  searchAccounts,
  setAccountStatus,
  setTimeZone,
} from "../accounts/accounts.ts";
import { findAutoTopUp, removeAutoTopUp, setAutoTopUp } from "../accounts/auto-top-ups.ts";
import { budgetUses } from "../accounts/budgets.ts";
import { contentSwitches, setContentSwitch } from "../accounts/content-switches.ts";
import { addEntry, findCharge, listEntries } from "../accounts/entries.ts";
import { exploreUsage } from "../accounts/explore-usage.ts";
import { hasIdempotencyKey } from "../accounts/idempotency-keys.ts";
import { listTagNames } from "../accounts/key-tags.ts";
import {
  changedKeys,
  createKey,
  deleteKey,
  findKey,
  findKeyByHash,
  labelKeys,
  listKeys,
  rollKey,
  searchKeys,
  setKeyStatus,
  updateKey,
} from "../accounts/keys.ts";
import { countLimits } from "../accounts/limit-counts.ts";
import { readOverview, readPulse } from "../accounts/overview.ts";
import { renewPlaygroundKey } from "../accounts/playground-keys.ts";
import {
  createProject,
  deleteProject,
  findProject,
  labelProjects,
  listProjects,
  updateProject,
} from "../accounts/projects.ts";
import { raiseBudget } from "../accounts/raises.ts";
import { findRequest, listRequests } from "../accounts/requests.ts";
import { ruleUses } from "../accounts/rule-uses.ts";
import { countTagValues, setTagValue, tagValue, tagValues } from "../accounts/tag-values.ts";
import { keyUsage, usageReport, usageWindows } from "../accounts/usage.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { listCircuitChanges } from "../traffic/circuit-changes.ts";
import { listRefusals } from "../traffic/refusals.ts";
import { findRefused, listRefusedRequests } from "../traffic/refused-requests.ts";
import { reportTraffic } from "../traffic/report-traffic.ts";
import { vendorHistory } from "../traffic/vendor-slots.ts";

export type AccountMethod = keyof AccountStore;
export type AccountArgs<M extends AccountMethod> = Parameters<AccountStore[M]>;

export const ACCOUNT_WORKS: WorksOf<AccountStore> = {
  createAccount,
  listAccounts,
  searchAccounts,
  sumAccounts,
  countLimits,
  accountUses,
  findAccount,
  renameAccount,
  setAccountStatus,
  setAccountLimits,
  setTimeZone,
  contentSwitches,
  setContentSwitch,
  accountBudgetUse,
  addEntry,
  listEntries,
  findCharge,
  findAutoTopUp,
  setAutoTopUp,
  removeAutoTopUp,
  createKey,
  listKeys,
  searchKeys,
  findKey,
  findKeyByHash,
  changedKeys,
  setKeyStatus,
  updateKey,
  rollKey,
  deleteKey,
  renewPlaygroundKey,
  createProject,
  listProjects,
  findProject,
  updateProject,
  deleteProject,
  labelProjects,
  labelKeys,
  listTagNames,
  labelAccounts,
  budgetUses,
  ruleUses,
  tagValues,
  countTagValues,
  tagValue,
  setTagValue,
  raiseBudget,
  usageWindows,
  keyUsage,
  usageReport,
  exploreUsage,
  reportTraffic,
  listCircuitChanges,
  vendorHistory,
  readOverview,
  readPulse,
  findRequest,
  listRequests,
  listRefusals,
  findRefused,
  listRefusedRequests,
  hasIdempotencyKey,
};

/** Methods that change something: they take their turn with the ledger's commits. The others only read. */
const WRITES: ReadonlySet<AccountMethod> = new Set<AccountMethod>([
  "createAccount",
  "renameAccount",
  "setAccountStatus",
  "setAccountLimits",
  "setTimeZone",
  "setContentSwitch",
  "addEntry",
  "createKey",
  "setKeyStatus",
  "updateKey",
  "rollKey",
  "deleteKey",
  "renewPlaygroundKey",
  "createProject",
  "updateProject",
  "deleteProject",
  "raiseBudget",
  "setTagValue",
  "setAutoTopUp",
  "removeAutoTopUp",
]);

export function isWrite(method: AccountMethod): boolean {
  return WRITES.has(method);
}

/** Methods that read only what the ledger's commits never change. */
const BESIDE_BOOKS: ReadonlySet<AccountMethod> = new Set<AccountMethod>([
  "findKeyByHash",
  "changedKeys",
  "labelKeys",
  "listTagNames",
  "labelProjects",
  "labelAccounts",
  "reportTraffic",
  "vendorHistory",
  "listCircuitChanges",
  "listRefusals",
  "listRefusedRequests",
]);

/** Whether a method reads what the ledger's commits change. */
export function readsBooks(method: AccountMethod): boolean {
  return !BESIDE_BOOKS.has(method);
}

/** Methods that read several things which must fit together. */
const SNAPSHOTS: ReadonlySet<AccountMethod> = new Set<AccountMethod>([
  "usageReport",
  "exploreUsage",
  "reportTraffic",
  "readOverview",
  "readPulse",
]);

export function isSnapshot(method: AccountMethod): boolean {
  return SNAPSHOTS.has(method);
}

/** Methods that may have to read much: they get more time than a request waits, on connections of their own. */
const REPORTS: ReadonlySet<AccountMethod> = new Set<AccountMethod>([
  "listRequests",
  "listEntries",
  "listAccounts",
  "searchAccounts",
  "sumAccounts",
  "countLimits",
  "accountUses",
]);

export function isReport(method: AccountMethod): boolean {
  return REPORTS.has(method);
}

export function accountStore(run: RunMethod<AccountMethod>): AccountStore {
  return portOf(ACCOUNT_WORKS, run);
}
