import { type ReactNode, useEffect, useId, useState } from "react";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { useChip } from "./folded-filters.tsx";
import { formatClock, viewerZone } from "./format.ts";
import { Icon } from "./icon.tsx";
import { Input, Select } from "./input.tsx";
import type { Option } from "./options.ts";
import { useUrlState } from "./url-state.ts";
import { minuteText, readMinute, timeOfWall, wallTime } from "./wall-time.ts";

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

/** A sentence below the filters about what they mean, or why one of them does not count; nothing for null. */
export function FilterNote({ children }: { children: ReactNode }) {
  if (children === null) return null;
  return (
    <p role="status" className="-mt-2 mb-4 text-[0.88rem] [overflow-wrap:anywhere] text-ink-soft">
      {children}
    </p>
  );
}

const TYPING_MS = 250;

/**
 * What is typed into a filter until it counts: `write` gets it when typing pauses. What the address has otherwise (`value`) takes the place
 * of what was typed.
 */
function useTyped(value: string, write: (typed: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => write(typed), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped];
}

const NO_SUGGESTIONS: readonly string[] = [];

/**
 * A filter by text, which goes into the address when typing pauses. The key `/` focuses the filter. `suggestions`: texts that the browser
 * offers while somebody types.
 */
export function FilterText({
  name,
  label,
  suggestions = NO_SUGGESTIONS,
  className,
}: {
  name: string;
  label: string;
  suggestions?: readonly string[];
  className?: string;
}) {
  const [search, setSearch] = useUrlState(name);
  const [typed, setTyped] = useTyped(search[name] ?? "", (text) => setSearch({ [name]: text }));
  useChip(name, search[name]);
  const list = useId();
  return (
    <div className={cx("relative min-w-56 flex-1 max-sm:basis-full sm:max-w-xs", className)}>
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 left-2.5 size-4.5 -translate-y-1/2 text-ink-soft"
      />
      <Input
        type="search"
        label={label}
        hide_label
        placeholder={label}
        data-search=""
        value={typed}
        onChange={setTyped}
        {...(suggestions.length > 0 && { list })}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </div>
  );
}

/**
 * A filter by one of a few values, or by none. `also`: further fields of the address that change with a choice. `is_told_elsewhere`: other
 * filters say on a phone what it is set to.
 */
export function FilterSelect({
  name,
  label,
  options,
  all,
  also,
  is_told_elsewhere = false,
}: {
  name: string;
  label: string;
  options: readonly Option[];
  all: string;
  also?: (chosen: string) => Readonly<Record<string, string | undefined>>;
  is_told_elsewhere?: boolean;
}) {
  const [search, setSearch] = useUrlState(name);
  useChip(name, is_told_elsewhere ? null : options.find(({ value }) => value === search[name])?.label);
  return (
    <Select
      label={label}
      hide_label
      options={[{ value: "", label: all }, ...options]}
      value={search[name] ?? ""}
      onChange={(value) => setSearch({ ...also?.(value), [name]: value })}
      className="w-auto max-sm:min-w-34 max-sm:flex-1 sm:max-w-56"
    />
  );
}

/** A filter by UTC day, `YYYY-MM-DD`. */
export function FilterDay({ name, label }: { name: string; label: string }) {
  const [search, setSearch] = useUrlState(name);
  useChip(name, search[name] && `${label} ${search[name]}`);
  return (
    <Input
      type="date"
      label={label}
      value={search[name] ?? ""}
      onChange={(typed) => setSearch({ [name]: typed })}
      className="w-auto max-sm:min-w-34 max-sm:flex-1"
    />
  );
}

/**
 * A filter by day and time, to the minute. It is typed and shown in the reader's time zone, and is in UTC in the address: a link means
 * the same everywhere. It goes into the address when typing pauses. `last`: a day of the address means its last minute.
 */
export function FilterTime({ name, label, last = false }: { name: string; label: string; last?: boolean }) {
  const [search, setSearch] = useUrlState(name);
  const zone = viewerZone();
  const time_ms = readMinute(search[name], last);
  useChip(name, time_ms === null ? null : `${label} ${formatClock(time_ms, Date.now())}`);
  const [typed, setTyped] = useTyped(time_ms === null ? "" : wallTime(zone, time_ms), (text) => {
    const found_ms = timeOfWall(zone, text);
    // A year is typed digit by digit.
    if (found_ms !== null || text === "") setSearch({ [name]: found_ms === null ? "" : minuteText(found_ms) });
  });
  return (
    <Input type="datetime-local" label={label} value={typed} onChange={setTyped} className="w-auto max-sm:basis-full" />
  );
}
