import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { cx } from "./cx.ts";
import { Field, type FieldProps } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { type ComboboxOption, matching } from "./matching.ts";
import { NoOptions } from "./no-options.tsx";

type Props = FieldProps & {
  readonly options: readonly ComboboxOption[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** Whether a typed text that is no option counts as a value, such as a pattern or the name of a future model. */
  readonly free?: boolean;
  readonly disabled?: boolean;
  /** Called with what is typed, where the options are those that the server finds by it. */
  readonly onType?: (typed: string) => void;
  /** What to show for a value that is none of the options, such as the name of one that was found before. */
  readonly shown?: string | undefined;
  /** The options of what is typed are on their way. */
  readonly searching?: boolean;
};

const MOST_SHOWN = 100;

/** A choice of one of many options by typing. Every typed word must occur in an option's label, value or note. */
export function Combobox({
  options,
  value,
  onChange,
  placeholder,
  free = false,
  disabled = false,
  onType,
  shown,
  searching = false,
  ...field
}: Props) {
  const list_id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const found = useMemo(() => matching(options, typed ?? "").slice(0, MOST_SHOWN), [options, typed]);
  const open = typed !== null && (found.length > 0 || !free);
  const label = options.find((option) => option.value === value)?.label ?? shown ?? value;

  const type = (text: string) => {
    setTyped(text);
    setActive(0);
    onType?.(text);
    if (free) onChange(text.trim());
  };
  const choose = (option: ComboboxOption | undefined) => {
    if (option) onChange(option.value);
    setTyped(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (typed === null) return type("");
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      // While the options are on their way nothing is found, and what was typed stays.
      if (found[active] !== undefined) choose(found[active]);
    } else if (event.key === "Escape" && typed !== null) {
      event.stopPropagation();
      setTyped(null);
    }
  };

  return (
    <Field {...field}>
      {(ids) => (
        <Popover.Root open={open} onOpenChange={(now) => !now && setTyped(null)}>
          <Popover.Anchor asChild>
            <div className="relative">
              <input
                {...ids}
                ref={input}
                role="combobox"
                aria-expanded={open}
                aria-controls={list_id}
                aria-autocomplete="list"
                aria-activedescendant={open && found[active] ? `${list_id}-${active}` : undefined}
                autoComplete="off"
                spellCheck={false}
                disabled={disabled}
                placeholder={placeholder}
                value={typed ?? label}
                onChange={(event) => type(event.target.value)}
                onClick={() => typed === null && type(free ? value : "")}
                onBlur={() => setTyped(null)}
                onKeyDown={onKeyDown}
                className="field pr-8"
              />
              <Icon
                name="chevron-up-down"
                className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-ink-soft"
              />
            </div>
          </Popover.Anchor>
          <Popover.Portal>
            <section aria-label="Suggestions">
              <Popover.Content
                onOpenAutoFocus={(event) => event.preventDefault()}
                onCloseAutoFocus={(event) => event.preventDefault()}
                onInteractOutside={(event) => event.target === input.current && event.preventDefault()}
                align="start"
                sideOffset={4}
                role="presentation"
                className="z-60 w-(--radix-popover-trigger-width) min-w-64 rounded-xl border border-line bg-raised p-1.5 shadow-float"
              >
                <Options
                  id={list_id}
                  label={typeof field.label === "string" ? field.label : "Options"}
                  found={found}
                  active={active}
                  value={value}
                  searching={searching}
                  onChoose={choose}
                />
              </Popover.Content>
            </section>
          </Popover.Portal>
        </Popover.Root>
      )}
    </Field>
  );
}

function Options({
  id,
  label,
  found,
  active,
  value,
  searching,
  onChoose,
}: {
  id: string;
  label: string;
  found: readonly ComboboxOption[];
  active: number;
  value: string;
  searching: boolean;
  onChoose: (option: ComboboxOption) => void;
}) {
  if (found.length === 0) return <NoOptions id={id}>{searching ? "Searching…" : "Nothing matches."}</NoOptions>;
  return (
    <div id={id} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto">
      {found.map((option, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the active option
        <div
          key={option.value}
          id={`${id}-${index}`}
          role="option"
          aria-selected={option.value === value}
          ref={index === active ? (element) => element?.scrollIntoView({ block: "nearest" }) : null}
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(option);
          }}
          className={cx(
            "flex items-baseline gap-3 rounded-md px-2.5 py-1.5 hover:bg-sunken",
            index === active && "bg-sunken",
          )}
        >
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          {option.note && <span className="text-[0.83rem] text-ink-soft">{option.note}</span>}
        </div>
      ))}
    </div>
  );
}
