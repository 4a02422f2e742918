import type { WorksOf } from "../sql/port.ts";
import { auditAccounts } from "./audit-accounts.ts";
import { auditDay, listDays } from "./audit-days.ts";
import { auditEntries } from "./audit-entries.ts";
import { auditOutset } from "./audit-outset.ts";
import { auditRequests } from "./audit-requests.ts";
import { listRuleSums, ruleTail } from "./audit-rule-sums.ts";
import type { AuditSlices } from "./audit-slices.ts";
import { auditSums, listSums } from "./audit-sums.ts";

export const AUDIT_WORKS: WorksOf<AuditSlices> = {
  auditOutset,
  auditAccounts,
  auditEntries,
  auditRequests,
  listRuleSums,
  ruleTail,
  listDays,
  auditDay,
  listSums,
  auditSums,
};
