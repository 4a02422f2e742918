import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import type { SummedSpan } from "../../core/operations/upkeep.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { type AccountsAsked, type AccountsSlice, auditAccounts } from "./audit-accounts.ts";
import { auditDay, type CountedDays, type DayAsked, type DaySlice, type DaysAsked, listDays } from "./audit-days.ts";
import { auditEntries, type EntriesAsked, type EntriesSlice } from "./audit-entries.ts";
import { auditOutset, type Outset } from "./audit-outset.ts";
import { auditRequests, type RequestsAsked, type RequestsSlice } from "./audit-requests.ts";
import { auditSums, listSums } from "./audit-sums.ts";

/**
 * The slices of an audit. Each reads a bounded part of the books as they are at one moment: a slice's transaction is short, and
 * what it compares fits together while calls run.
 */
export interface AuditSlices {
  auditOutset(): Promise<Outset>;
  auditAccounts(asked: AccountsAsked): Promise<AccountsSlice>;
  auditEntries(asked: EntriesAsked): Promise<EntriesSlice>;
  auditRequests(asked: RequestsAsked): Promise<RequestsSlice>;
  listDays(asked: DaysAsked): Promise<CountedDays>;
  auditDay(asked: DayAsked): Promise<DaySlice>;
  /** The spans of days that have sums, from a day on. */
  listSums(asked: { readonly first_day: number }): Promise<readonly SummedSpan[]>;
  auditSums(span: SummedSpan): Promise<readonly AuditFinding[]>;
}

export type AuditMethod = keyof AuditSlices;

export const AUDIT_WORKS: WorksOf<AuditSlices> = {
  auditOutset,
  auditAccounts,
  auditEntries,
  auditRequests,
  listDays,
  auditDay,
  listSums,
  auditSums,
};

/** `run` runs each slice in one transaction that reads the database as it is at one moment. */
export function auditSlices(run: RunMethod<AuditMethod>): AuditSlices {
  return portOf(AUDIT_WORKS, run);
}
