import { useState } from "react";
import { useUser } from "../api/session.ts";
import { useFoundAccounts } from "../api/use-found.ts";
import { useNames } from "../api/use-names.ts";
import { ALL_ACCOUNTS, useAllAccounts } from "../kit/all-accounts.ts";
import { formatMoney } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Picker, type PickerItem } from "../kit/picker.tsx";
import { useUrlState } from "../kit/url-state.ts";
import { useAccount } from "../kit/use-account.ts";

/** Lets a user choose the account that the pages above "Gateway" show: their own, or as an administrator any. */
export function AccountSwitcher() {
  const user = useUser();
  if (user.role === "administrator") return <AnyAccount />;
  return user.accounts.length > 1 ? <OwnAccounts /> : null;
}

function AnyAccount() {
  const user = useUser();
  const account = useAccount();
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const { rows, searching } = useFoundAccounts({ typed, enabled: open });
  const shown = useNames([account]).get(account);
  const shows_all = useAllAccounts();
  const all = {
    value: ALL_ACCOUNTS,
    label: "All accounts",
    note: "overview, usage and requests of the whole gateway",
    icon: "overview" as const,
    by_label: true,
  };
  const items = rows.map(({ id, email, name, balance_micro, currency }) => ({
    value: id,
    label: name === "" ? email : `${name} · ${email}`,
    note: formatMoney(balance_micro, currency),
    of_server: true,
  }));
  const own = user.accounts.some(({ id }) => id === account);
  return (
    <Switcher
      title={own && !shows_all ? "Account (yours)" : "Account"}
      shown={shows_all ? "All accounts" : (shown ?? account)}
      items={[all, ...items]}
      empty={searching ? "Searching…" : "There is no such account."}
      onType={setTyped}
      searching={searching}
      open={open}
      onOpen={setOpen}
    />
  );
}

function OwnAccounts() {
  const user = useUser();
  const [open, setOpen] = useState(false);
  const account = useAccount();
  const shown = user.accounts.find(({ id }) => id === account);
  const items = user.accounts.map(({ id, email, name, role }) => ({
    value: id,
    label: name === "" ? email : `${name} · ${email}`,
    note: role,
  }));
  return (
    <Switcher
      title={shown ? `Account (${shown.role})` : "Account"}
      shown={shown ? shown.name || shown.email : account}
      items={items}
      empty="You belong to no such account."
      open={open}
      onOpen={setOpen}
    />
  );
}

type Choice = Omit<PickerItem, "run">;

function Switcher({
  title,
  shown,
  items,
  empty,
  onType,
  searching,
  open,
  onOpen,
}: {
  title: string;
  shown: string;
  items: readonly Choice[];
  empty: string;
  onType?: (typed: string) => void;
  searching?: boolean;
  open: boolean;
  onOpen: (open: boolean) => void;
}) {
  const user = useUser();
  const [, setSearch] = useUrlState("account");
  return (
    <>
      <button
        type="button"
        onClick={() => onOpen(true)}
        className="flex items-center gap-2 rounded-lg bg-sunken px-2.5 py-1.5 text-left hover:bg-line"
      >
        <Icon name="accounts" className="size-4.5 text-ink-soft" />
        <span className="min-w-0 flex-1 leading-tight">
          <span className="block text-[0.76rem] text-ink-soft">{title}</span>
          <span className="block truncate text-[0.92rem] font-medium">{shown}</span>
        </span>
        <Icon name="chevron-up-down" className="size-4 text-ink-soft" />
      </button>
      <Picker
        open={open}
        onClose={() => {
          onOpen(false);
          onType?.("");
        }}
        onType={onType}
        searching={searching}
        title="Show which account?"
        placeholder="E-mail, name or id"
        items={items.map((item) => ({
          ...item,
          icon: item.icon ?? "accounts",
          run: () => setSearch({ account: item.value === user.account_id ? undefined : item.value }),
        }))}
        empty={empty}
      />
    </>
  );
}
