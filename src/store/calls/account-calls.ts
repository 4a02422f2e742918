import type { AccountStore } from "../../core/store/ports.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type AccountMethod = keyof AccountStore;
export type AccountArgs<M extends AccountMethod> = Parameters<AccountStore[M]>;

/**
 * A `write` takes turns with the ledger's commits. The others read: a `report` may read much, so it has connections of its own and more time than a
 * request waits; a `snapshot` reads several things that must fit together; rows `beside` the books are never changed by commits.
 */
type AccountCallKind = "write" | "read" | "report" | "snapshot" | "beside" | "snapshot beside";

export const ACCOUNT_KINDS = {
  ...{ createAccount: "write", renameAccount: "write", setAccountStatus: "write", setAccountLimits: "write" },
  ...{ setTimeZone: "write", addEntry: "write", setAutoTopUp: "write", removeAutoTopUp: "write" },
  ...{ createKey: "write", setKeyStatus: "write", updateKey: "write", rollKey: "write", deleteKey: "write" },
  ...{ renewPlaygroundKey: "write", raiseBudget: "write" },
  ...{ createProject: "write", updateProject: "write", deleteProject: "write" },
  ...{ findAccount: "read", accountBudgetUse: "read", findCharge: "read", findAutoTopUp: "read" },
  ...{ listKeys: "read", searchKeys: "read", findKey: "read", listProjects: "read", findProject: "read" },
  ...{ budgetUses: "read", ruleUses: "read", usageWindows: "read", keyUsage: "read" },
  ...{ findRequest: "read", findRefused: "read", hasIdempotencyKey: "read" },
  ...{ listRequests: "report", listEntries: "report", listAccounts: "report", searchAccounts: "report" },
  ...{ sumAccounts: "report", countLimits: "report", accountUses: "report" },
  ...{ usageReport: "snapshot", exploreUsage: "snapshot", readOverview: "snapshot", readPulse: "snapshot" },
  ...{ findKeyByHash: "beside", changedKeys: "beside", labelKeys: "beside", labelProjects: "beside" },
  ...{ labelAccounts: "beside", listTagNames: "beside", vendorHistory: "beside", listCircuitChanges: "beside" },
  ...{ listRefusals: "beside", listRefusedRequests: "beside", reportTraffic: "snapshot beside" },
  ...{ tagValues: "read", countTagValues: "read", tagValue: "read", setTagValue: "write" },
  ...{ contentSwitches: "read", setContentSwitch: "write" },
  ...{ createdAt: "beside", accountsAfter: "beside", placesAfter: "beside", drainedCells: "beside", bookedFor: "read" },
} as const satisfies Readonly<Record<AccountMethod, AccountCallKind>>;

/** The methods whose changes are written to the audit log: all that change something. */
export type AccountWrite = {
  [Method in AccountMethod]: (typeof ACCOUNT_KINDS)[Method] extends "write" ? Method : never;
}[AccountMethod];

export function isWrite(method: AccountMethod): method is AccountWrite {
  return ACCOUNT_KINDS[method] === "write";
}

/** Whether a method reads what the ledger's commits change. */
export function readsBooks(method: AccountMethod): boolean {
  return !ACCOUNT_KINDS[method].endsWith("beside");
}

export function isSnapshot(method: AccountMethod): boolean {
  return ACCOUNT_KINDS[method].startsWith("snapshot");
}

export function isReport(method: AccountMethod): boolean {
  return ACCOUNT_KINDS[method] === "report";
}

export function accountStore(run: RunMethod<AccountMethod>): AccountStore {
  return portOf<AccountStore>(ACCOUNT_KINDS, run);
}
