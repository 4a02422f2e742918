import type { Account } from "../../../../contract/accounts.ts";
import type { User } from "../../../../contract/users.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { FilterBar, FilterDay, FilterText } from "../../kit/filter-bar.tsx";
import type { ComboboxOption } from "../../kit/matching.ts";
import { useUrlState } from "../../kit/url-state.ts";
import { ACTION_OPTIONS } from "./audit-words.ts";

/** The filters of the audit log: actor, action, object, account and time. */
export function AuditFilters({ users, accounts }: { users: readonly User[]; accounts: readonly Account[] }) {
  const people = [
    ...users.map(({ id, email, name }) => ({ value: id, label: email || "First administrator", note: name })),
    { value: "admin-token", label: "The admin token" },
  ];
  const owners = accounts.map(({ id, email, name }) => ({ value: id, label: email, note: name }));
  return (
    <FilterBar names={["actor", "action", "object", "of", "from", "until"]}>
      <FilterOne name="actor" label="By" all="Anybody" options={people} />
      <FilterOne name="action" label="What" all="Any change" options={ACTION_OPTIONS} />
      <FilterOne name="of" label="Account" all="Any account" options={owners} />
      <FilterDay name="from" label="From" />
      <FilterDay name="until" label="Until" />
      <FilterText name="object" label="Id of what was changed" />
    </FilterBar>
  );
}

/** A filter by one of many values, found by typing, or by none. */
function FilterOne({
  name,
  label,
  all,
  options,
}: {
  name: string;
  label: string;
  all: string;
  options: readonly ComboboxOption[];
}) {
  const [search, setSearch] = useUrlState(name);
  return (
    <Combobox
      label={label}
      options={[{ value: "", label: all }, ...options]}
      value={search[name] ?? ""}
      onChange={(value) => setSearch({ [name]: value })}
      className="w-[calc(50%-0.35rem)] sm:w-50"
    />
  );
}
