import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { apiQuery, CALM_MS } from "../../api/use-api.ts";

export interface AccountRow {
  readonly account: Account;
  /** The charges of the current month (UTC); null until loaded. */
  readonly month_micro: number | null;
  /** How many keys are active; null until loaded. */
  readonly keys: number | null;
}

/** The accounts on a page of the list; the server returns the use of as many in one answer. */
export const PAGE = 100;

/** Accounts with the table's further columns, which come later: an answer for each page of the list. */
export function useAccountRows(accounts: readonly Account[]): AccountRow[] {
  const pages = Array.from({ length: Math.ceil(accounts.length / PAGE) }, (_, at) =>
    accounts.slice(at * PAGE, (at + 1) * PAGE),
  );
  const uses = useQueries({
    queries: pages.map((page) => ({
      ...apiQuery("GET /accounts/uses", { query: { accounts: page.map(({ id }) => id).join(",") } }),
      refetchInterval: CALM_MS,
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => (data?.data ?? []).map((use) => [use.account, use]))),
  });
  return useMemo(
    () =>
      accounts.map((account) => {
        const use = uses.get(account.id);
        return { account, month_micro: use?.month_micro ?? null, keys: use?.active_keys ?? null };
      }),
    [accounts, uses],
  );
}
