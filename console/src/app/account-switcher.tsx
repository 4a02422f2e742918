import { useState } from "react";
import { useApi } from "../api/use-api.ts";
import { useUser } from "../api/session.ts";
import { ALL_ACCOUNTS, useAllAccounts } from "../kit/all-accounts.ts";
import { formatMoney } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Picker } from "../kit/picker.tsx";
import { useUrlState } from "../kit/url-state.ts";
import { useAccount } from "../kit/use-account.ts";

/** Lets administrators choose the account that the pages above "Gateway" show. */
export function AccountSwitcher() {
  const [open, setOpen] = useState(false);
  const user = useUser();
  const account = useAccount();
  const [, setSearch] = useUrlState("account");
  const accounts = useApi("GET /accounts", {});
  const shown = accounts.data?.data.find(({ id }) => id === account);
  const shows_all = useAllAccounts();
  const all = {
    value: ALL_ACCOUNTS,
    label: "All accounts",
    note: "overview, usage and requests of the whole gateway",
    icon: "overview" as const,
    run: () => setSearch({ account: ALL_ACCOUNTS }),
  };
  const items = (accounts.data?.data ?? []).map(({ id, email, name, balance_micro, currency }) => ({
    value: id,
    label: name === "" ? email : `${name} · ${email}`,
    note: formatMoney(balance_micro, currency),
    icon: "accounts" as const,
    run: () => setSearch({ account: id === user.account_id ? undefined : id }),
  }));
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex items-center gap-2 rounded-lg bg-sunken px-2.5 py-1.5 text-left hover:bg-line"
      >
        <Icon name="accounts" className="size-4.5 text-ink-soft" />
        <span className="min-w-0 flex-1 leading-tight">
          <span className="block text-[0.76rem] text-ink-soft">
            Account{account === user.account_id && !shows_all ? " (yours)" : ""}
          </span>
          <span className="block truncate text-[0.92rem] font-medium">
            {shows_all ? "All accounts" : (shown?.email ?? account)}
          </span>
        </span>
        <Icon name="chevron-up-down" className="size-4 text-ink-soft" />
      </button>
      <Picker
        open={open}
        onClose={() => setOpen(false)}
        title="Show which account?"
        placeholder="E-mail, name or id"
        items={[all, ...items]}
        empty={accounts.isPending ? "Loading…" : "There is no such account."}
      />
    </>
  );
}
