import type { AccountStore } from "../../core/store/ports.ts";
import { accountBudgetUse, setAccountLimits } from "../accounts/account-limits.ts";
import { accountUses, countLimits, sumAccounts } from "../accounts/account-sums.ts";
import {
  accountsAfter,
  createAccount,
  findAccount,
  labelAccounts,
  listAccounts,
  placesAfter,
  renameAccount,
  searchAccounts,
  setAccountStatus,
  setTimeZone,
} from "../accounts/accounts.ts";
import { findAutoTopUp, removeAutoTopUp, setAutoTopUp } from "../accounts/auto-top-ups.ts";
import { budgetUses } from "../accounts/budget-use.ts";
import { contentSwitches, setContentSwitch } from "../accounts/content-switches.ts";
import { addEntry, bookedFor, findCharge, listEntries } from "../accounts/entries.ts";
import { exploreUsage } from "../accounts/explore-usage.ts";
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
import { findRequest, hasIdempotencyKey, listRequests } from "../accounts/requests.ts";
import { countTagValues, ruleUses, setTagValue, tagValue, tagValues } from "../accounts/tag-values.ts";
import { keyUsage, usageReport, usageWindows } from "../accounts/usage.ts";
import { drainedCells } from "../sql/marks.ts";
import { createdAt } from "../sql/page.ts";
import type { WorksOf } from "../sql/port.ts";
import { listCircuitChanges } from "../traffic/circuit-changes.ts";
import { listRefusals } from "../traffic/refusals.ts";
import { findRefused, listRefusedRequests } from "../traffic/refused-requests.ts";
import { reportTraffic } from "../traffic/report-traffic.ts";
import { vendorHistory } from "../traffic/vendor-slots.ts";

export const ACCOUNT_WORKS: WorksOf<AccountStore> = {
  ...{ createAccount, listAccounts, searchAccounts, findAccount, renameAccount, setAccountStatus, setTimeZone },
  ...{ labelAccounts, accountsAfter, placesAfter },
  ...{ addEntry, listEntries, findCharge, bookedFor },
  ...{ findAutoTopUp, setAutoTopUp, removeAutoTopUp },
  ...{ createKey, listKeys, searchKeys, findKey, findKeyByHash, changedKeys, setKeyStatus, updateKey, rollKey },
  ...{ deleteKey, labelKeys },
  ...{ createProject, listProjects, findProject, updateProject, deleteProject, labelProjects },
  ...{ tagValues, countTagValues, tagValue, setTagValue },
  ...{ usageWindows, keyUsage, usageReport },
  ...{ sumAccounts, accountUses, countLimits, setAccountLimits, accountBudgetUse, contentSwitches },
  ...{ setContentSwitch, renewPlaygroundKey, listTagNames, budgetUses, ruleUses, raiseBudget, exploreUsage },
  ...{ reportTraffic, listCircuitChanges, vendorHistory, readOverview, readPulse, findRequest, listRequests },
  ...{ listRefusals, findRefused, listRefusedRequests, hasIdempotencyKey, createdAt, drainedCells },
};
