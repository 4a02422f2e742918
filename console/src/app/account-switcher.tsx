import { useState } from "react";
import { useUser } from "../api/session.ts";
import { useApi } from "../api/use-api.ts";
import { useFoundAccounts } from "../api/use-found.ts";
import { ALL_ACCOUNTS, useAllAccounts } from "../kit/all-accounts.ts";
import { cx } from "../kit/cx.ts";
import { formatMoney } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Picker, type PickerItem } from "../kit/picker.tsx";
import { useUrlState } from "../kit/url-state.ts";
import { useAccount } from "../kit/use-account.ts";

/** Lets a user choose the account that the pages above "Gateway" show: their own, or as an administrator any. */
export function AccountSwitcher() {
  const user = useUser();
  if (user.role === "administrator") return <AnyAccount />;
  return user.accounts.length > 0 ? <OwnAccounts /> : null;
}

function AnyAccount() {
  const user = useUser();
  const account = useAccount();
  const [open, setOpen] = useState(false);
  const shows_all = useAllAccounts();
  const own = user.accounts.find(({ id }) => id === account);
  const other = useApi("GET /accounts/{account}", { path: { account } }, { enabled: own === undefined });
  const { name = "", email = account } = own ?? other.data ?? {};
  return (
    <>
      <Switcher
        title={own && !shows_all ? "Account (yours)" : "Account"}
        shown={shows_all ? "All accounts" : name || email}
        onOpen={() => setOpen(true)}
        stands_out={!own && !shows_all}
      />
      <AccountPicker open={open} onOpen={setOpen} />
    </>
  );
}

/** Lets an administrator choose any account, or all of them. */
export function AccountPicker({ open, onOpen }: Opened) {
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundAccounts({ typed, enabled: open });
  const all = {
    value: ALL_ACCOUNTS,
    label: "All accounts",
    note: "overview, keys, usage and requests of the whole gateway",
    icon: "overview" as const,
    by_label: true,
  };
  const items = rows.map(({ id, email, name, balance_micro, currency }) => ({
    value: id,
    label: name === "" ? email : `${name} · ${email}`,
    note: formatMoney(balance_micro, currency),
    of_server: true,
  }));
  return (
    <ChoicePicker
      {...{ open, onOpen, searching }}
      items={[all, ...items]}
      empty={searching ? "Searching…" : "There is no such account."}
      onType={setTyped}
    />
  );
}

function OwnAccounts() {
  const user = useUser();
  const [open, setOpen] = useState(false);
  const account = useAccount();
  const shown = user.accounts.find(({ id }) => id === account);
  const title = shown ? `Account (${shown.role})` : "Account";
  const name = shown ? shown.name || shown.email : account;
  if (user.accounts.length === 1) return <OnlyAccount title={title} name={name} />;
  const items = user.accounts.map(({ id, email, name: each, role }) => ({
    value: id,
    label: each === "" ? email : `${each} · ${email}`,
    note: role,
  }));
  return (
    <>
      <Switcher title={title} shown={name} onOpen={() => setOpen(true)} />
      <ChoicePicker {...{ open, onOpen: setOpen, items }} empty="You belong to no such account." />
    </>
  );
}

/** The account of a user who has no other. */
function OnlyAccount({ title, name }: { title: string; name: string }) {
  return (
    <p className="px-2.5 leading-tight">
      <span className="block text-[0.76rem] text-ink-soft">{title}</span>
      <span className="block truncate text-[0.92rem] font-medium">{name}</span>
    </p>
  );
}

interface Opened {
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** The button that opens the choice. `stands_out`: the account is a customer's. */
function Switcher({
  title,
  shown,
  onOpen,
  stands_out = false,
}: {
  title: string;
  shown: string;
  onOpen: () => void;
  stands_out?: boolean;
}) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className={cx(
        "flex items-center gap-2 rounded-lg px-2.5 py-1.5 text-left",
        stands_out ? "bg-accent text-on-accent hover:bg-accent-hover" : "bg-sunken hover:bg-line",
      )}
    >
      <Icon name="accounts" className={cx("size-4.5", !stands_out && "text-ink-soft")} />
      <span className="min-w-0 flex-1 leading-tight">
        <span className={cx("block text-[0.76rem]", !stands_out && "text-ink-soft")}>{title}</span>
        <span className="block truncate text-[0.92rem] font-medium">{shown}</span>
      </span>
      <Icon name="chevron-up-down" className={cx("size-4", !stands_out && "text-ink-soft")} />
    </button>
  );
}

type AccountChoice = Omit<PickerItem, "run">;

function ChoicePicker({
  open,
  onOpen,
  items,
  empty,
  onType,
  searching,
}: Opened & {
  items: readonly AccountChoice[];
  empty: string;
  onType?: (typed: string) => void;
  searching?: boolean;
}) {
  const user = useUser();
  const [, setSearch] = useUrlState("account");
  return (
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
  );
}
