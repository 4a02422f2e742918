import { useState } from "react";
import { useFoundAccounts, useFoundUsers } from "../../api/use-found.ts";
import { useNames } from "../../api/use-names.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { useChip } from "../../kit/folded-filters.tsx";
import type { ComboboxOption } from "../../kit/matching.ts";
import { useUrlState } from "../../kit/url-state.ts";

const WIDTH = "w-[calc(50%-0.35rem)] sm:w-50";

interface FilterProps {
  /** The field of the address that has the id. */
  readonly name: string;
  readonly label: string;
  /** The filter's text while nothing is chosen. */
  readonly all: string;
}

/** A filter by one of a few values that are at hand, found by typing, or by none. */
export function FilterOne({
  name,
  label,
  all,
  options,
}: FilterProps & { readonly options: readonly ComboboxOption[] }) {
  const [search, setSearch] = useUrlState(name);
  useChip(name, options.find(({ value }) => value === search[name])?.label);
  return (
    <Combobox
      label={label}
      options={[{ value: "", label: all }, ...options]}
      value={search[name] ?? ""}
      onChange={(value) => setSearch({ [name]: value })}
      className={WIDTH}
    />
  );
}

/** A filter by one of all accounts, which the server finds by e-mail, name or id. */
export function FilterAccount(filter: FilterProps) {
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundAccounts({ typed });
  const options = rows.map(({ id, email, name }) => ({ value: id, label: email, note: name }));
  return <FilterFound {...filter} options={options} searching={searching} onType={setTyped} />;
}

export function FilterUser(filter: FilterProps) {
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundUsers({ typed });
  const options = [
    { value: "admin-token", label: "The admin token" },
    ...rows.map(({ id, email, name }) => ({ value: id, label: email || "First administrator", note: name })),
  ];
  return <FilterFound {...filter} options={options} searching={searching} onType={setTyped} />;
}

function FilterFound({
  name,
  label,
  all,
  options,
  searching,
  onType,
}: FilterProps & {
  readonly options: readonly ComboboxOption[];
  readonly searching: boolean;
  readonly onType: (typed: string) => void;
}) {
  const [search, setSearch] = useUrlState(name);
  const value = search[name] ?? "";
  const names = useNames(value === "" ? [] : [value]);
  useChip(name, value && (options.find((option) => option.value === value)?.label ?? names.get(value) ?? value));
  return (
    <Combobox
      label={label}
      options={[{ value: "", label: all }, ...options]}
      value={value}
      shown={names.get(value)}
      onChange={(chosen) => setSearch({ [name]: chosen })}
      onType={onType}
      searching={searching}
      className={WIDTH}
    />
  );
}
