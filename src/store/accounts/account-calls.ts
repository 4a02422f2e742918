import type { AccountStore } from "../../core/ports.ts";
import type { Work } from "../sql/work.ts";
import { createAccount, findAccount, listAccounts, setAccountStatus } from "./accounts.ts";
import { addEntry, listEntries } from "./entries.ts";
import { createKey, deleteKey, findKey, findKeyByHash, listKeys, setKeyStatus, updateKey } from "./keys.ts";
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
  createKey,
  listKeys,
  findKey,
  findKeyByHash,
  setKeyStatus,
  updateKey,
  deleteKey,
  usageWindows,
  usageReport,
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
]);

export function isWrite(method: AccountMethod): boolean {
  return WRITES.has(method);
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
    createKey: (...args) => run("createKey", args),
    listKeys: (...args) => run("listKeys", args),
    findKey: (...args) => run("findKey", args),
    findKeyByHash: (...args) => run("findKeyByHash", args),
    setKeyStatus: (...args) => run("setKeyStatus", args),
    updateKey: (...args) => run("updateKey", args),
    deleteKey: (...args) => run("deleteKey", args),
    usageWindows: (...args) => run("usageWindows", args),
    usageReport: (...args) => run("usageReport", args),
    findRequest: (...args) => run("findRequest", args),
    listRequests: (...args) => run("listRequests", args),
  };
}
