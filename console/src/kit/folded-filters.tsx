import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useState } from "react";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";
import { useUrlState } from "./url-state.ts";

/** What filters are set to, by the fields of the address. */
type Chips = Readonly<Record<string, string>>;

const TellChip = createContext<((name: string, text: string | null) => void) | null>(null);

/** Tells the fold around a filter what it is set to, in words; null or an empty text where it is not set. */
export function useChip(name: string, text: string | null | undefined): void {
  const tell = useContext(TellChip);
  useEffect(() => {
    tell?.(name, text || null);
    return () => tell?.(name, null);
  }, [tell, name, text]);
}

/** Filters of a FilterBar that a phone shows only when asked: until then a button with their number, and a chip for each that is set, which clears it. */
export function FoldedFilters({ children }: { children: ReactNode }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [chips, setChips] = useState<Chips>({});
  const tell = useCallback(
    (name: string, text: string | null) => setChips((before) => withChip(before, name, text)),
    [],
  );
  const count = Object.keys(chips).length;
  return (
    <>
      <Button
        icon="filter"
        className="sm:hidden"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {count === 0 ? "Filters" : `Filters (${count})`}
      </Button>
      <div id={id} className={cx("contents", !open && "max-sm:hidden")}>
        <TellChip.Provider value={tell}>{children}</TellChip.Provider>
      </div>
      {!open && count > 0 && <SetFilters chips={chips} />}
    </>
  );
}

function withChip(before: Chips, name: string, text: string | null): Chips {
  if ((before[name] ?? null) === text) return before;
  const { [name]: _gone, ...others } = before;
  return text === null ? others : { ...others, [name]: text };
}

function SetFilters({ chips }: { chips: Chips }) {
  const [, setSearch] = useUrlState(...Object.keys(chips));
  return (
    <ul aria-label="Filters that are set" className="flex min-w-0 basis-full flex-wrap gap-1.5 sm:hidden">
      {Object.entries(chips).map(([name, text]) => (
        <li key={name} className="min-w-0">
          <button
            type="button"
            aria-label={`Clear the filter ${text}`}
            onClick={() => setSearch({ [name]: undefined })}
            className="flex min-h-7 max-w-full items-center gap-1 rounded-full bg-accent-soft px-2.5 text-[0.85rem] text-accent-ink"
          >
            <span className="truncate" data-hint={text}>
              {text}
            </span>
            <Icon name="close" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}
