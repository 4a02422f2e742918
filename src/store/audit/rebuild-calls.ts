import type { RebuiltCount } from "../../core/ledger/books-audit.ts";
import { portOf, type RunMethod } from "../sql/port.ts";
import type { DayAsked } from "./audit-days.ts";

/**
 * Counts days' usage and keys' counters anew. Both are sums of what the entries and requests say, so making them again is safe;
 * balances, holds and entries are never touched. Each work runs in one transaction that holds the account: nobody books in
 * between (docs/design/audit.md).
 */
export interface RebuildMethods {
  /** The days of an account that can be counted anew, in order: those with usage, or with the end of a request that is kept. */
  daysOf(account_id: string): Promise<readonly number[]>;
  /** Accounts in the order of their ids. */
  accountsAfter(account_id: string, limit: number): Promise<readonly string[]>;
  rebuildDay(asked: DayAsked): Promise<readonly RebuiltCount[]>;
  rebuildKeys(account_id: string): Promise<readonly RebuiltCount[]>;
  /** Forgets the sums of days, which are then made anew in the background. */
  forgetUsageSums(): Promise<void>;
}

export type RebuildMethod = keyof RebuildMethods;

const KINDS: Readonly<Record<RebuildMethod, "read" | "write">> = {
  ...{ daysOf: "read", accountsAfter: "read", rebuildDay: "write", rebuildKeys: "write", forgetUsageSums: "write" },
};

export function isRebuildWrite(method: RebuildMethod): boolean {
  return KINDS[method] === "write";
}

export function rebuildMethods(run: RunMethod<RebuildMethod>): RebuildMethods {
  return portOf(KINDS, run);
}
