import { useMemo } from "react";
import type { Account, AccountList } from "../../../../contract/accounts.ts";
import { CALM_MS, useApi } from "../../api/use-api.ts";

export interface AccountRow {
  readonly account: Account;
  /** The charges of the current month (UTC); null until loaded. */
  readonly month_micro: number | null;
  /** How many keys are active; null until loaded. */
  readonly keys: number | null;
}

/** Accounts with the table's further columns, from two more answers, which may come later. */
export function useAccountRows(accounts: AccountList | undefined): AccountRow[] {
  const usage = useApi("GET /usage", { query: { by: "account", since: monthStart() } }, { refresh_ms: CALM_MS }).data;
  const keys = useApi("GET /keys", {}).data;
  return useMemo(() => {
    const spent = usage && new Map(usage.data.map(({ group, cost_micro }) => [group, cost_micro]));
    const counts = keys && new Map<string, number>();
    for (const { account, status, playground } of keys?.data ?? [])
      if (status === "active" && !playground) counts?.set(account, (counts.get(account) ?? 0) + 1);
    return (accounts?.data ?? []).map((account) => ({
      account,
      month_micro: spent === undefined ? null : (spent.get(account.id) ?? 0),
      keys: counts === undefined ? null : (counts.get(account.id) ?? 0),
    }));
  }, [accounts, usage, keys]);
}

/** The first day of the current month, UTC. */
function monthStart(): string {
  return `${new Date().toISOString().slice(0, 7)}-01`;
}
