import { type ReactNode, useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";
import { Input, type Option, Select } from "./input.tsx";
import { useUrlState } from "./url-state.ts";

/** The filters above a list, each bound to a field of the address. `names`: the fields that "Clear" clears. */
export function FilterBar({
  names,
  children,
  label = "Filters",
}: {
  names: readonly string[];
  children: ReactNode;
  label?: string;
}) {
  const [search, setSearch] = useUrlState(...names);
  const active = names.some((name) => search[name] !== undefined);
  return (
    <search aria-label={label} className="mb-4 flex flex-wrap items-end gap-2.5">
      {children}
      {active && (
        <Button
          kind="quiet"
          icon="close"
          onClick={() => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

const TYPING_MS = 250;

/** A filter by text, which goes into the address when typing pauses. The key `/` focuses the filter. */
export function FilterText({ name, label, className }: { name: string; label: string; className?: string }) {
  const [search, setSearch] = useUrlState(name);
  const value = search[name] ?? "";
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => setSearch({ [name]: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className={cx("relative min-w-56 flex-1 max-sm:basis-full sm:max-w-xs", className)}>
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4.5 -translate-y-1/2 text-ink-soft"
      />
      <Input
        type="search"
        label={label}
        hide_label
        placeholder={label}
        data-search=""
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}

/** A filter by one of a few values, or by none. */
export function FilterSelect({
  name,
  label,
  options,
  all,
}: {
  name: string;
  label: string;
  options: readonly Option[];
  all: string;
}) {
  const [search, setSearch] = useUrlState(name);
  return (
    <Select
      label={label}
      hide_label
      options={[{ value: "", label: all }, ...options]}
      value={search[name] ?? ""}
      onChange={(event) => setSearch({ [name]: event.target.value })}
      className="w-auto max-sm:min-w-34 max-sm:flex-1 sm:max-w-56"
    />
  );
}

/** A filter by UTC day, `YYYY-MM-DD`. */
export function FilterDay({ name, label }: { name: string; label: string }) {
  const [search, setSearch] = useUrlState(name);
  return (
    <Input
      type="date"
      label={label}
      value={search[name] ?? ""}
      onChange={(event) => setSearch({ [name]: event.target.value })}
      className="w-auto max-sm:min-w-34 max-sm:flex-1"
    />
  );
}
