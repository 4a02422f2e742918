import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import type { SummedSpan } from "../../core/operations/upkeep.ts";
import { portOf, type RunMethod } from "../sql/port.ts";
import type { AccountsAsked, AccountsSlice } from "./audit-accounts.ts";
import type { CountedDays, DayAsked, DaySlice, DaysAsked } from "./audit-days.ts";
import type { EntriesAsked, EntriesSlice } from "./audit-entries.ts";
import type { Outset } from "./audit-outset.ts";
import type { RequestsAsked, RequestsSlice } from "./audit-requests.ts";
import type { RuleTail, RuleTailAsked } from "./audit-rule-sums.ts";

/**
 * The slices of an audit. Each reads a bounded part of the books as they are at one moment: a slice's transaction is short, and
 * what it compares fits together while calls run.
 */
export interface AuditSlices {
  auditOutset(): Promise<Outset>;
  auditAccounts(asked: AccountsAsked): Promise<AccountsSlice>;
  auditEntries(asked: EntriesAsked): Promise<EntriesSlice>;
  auditRequests(asked: RequestsAsked): Promise<RequestsSlice>;
  /** The sums of rules of limits, before the walk through an account's requests. */
  listRuleSums(asked: { readonly account_id: string }): Promise<RuleTail["sums"]>;
  ruleTail(asked: RuleTailAsked): Promise<RuleTail>;
  listDays(asked: DaysAsked): Promise<CountedDays>;
  auditDay(asked: DayAsked): Promise<DaySlice>;
  listSums(asked: { readonly first_day: number }): Promise<readonly SummedSpan[]>;
  auditSums(span: SummedSpan): Promise<readonly AuditFinding[]>;
}

export type AuditMethod = keyof AuditSlices;

const METHODS: Readonly<Record<AuditMethod, true>> = {
  ...{ auditOutset: true, auditAccounts: true, auditEntries: true, auditRequests: true },
  ...{ listRuleSums: true, ruleTail: true, listDays: true, auditDay: true, listSums: true, auditSums: true },
};

/** `run` runs each slice in one transaction that reads the database as it is at one moment. */
export function auditSlices(run: RunMethod<AuditMethod>): AuditSlices {
  return portOf(METHODS, run);
}
