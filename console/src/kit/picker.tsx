import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { cx } from "./cx.ts";
import { Dialog } from "./dialog.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { matching } from "./matching.ts";

export interface PickerItem {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
  /** What else it is found by, and not shown. */
  readonly also?: string;
  readonly icon?: IconName;
  /** The heading above the choice. Choices of one group that follow each other share the heading. */
  readonly group?: string;
  readonly run: () => void;
}

const MOST_SHOWN = 60;

/** A dialog in which the user finds one of many choices by typing and takes it by Enter, like the command palette. */
export function Picker({
  open,
  onClose,
  title,
  placeholder,
  items,
  empty = "Nothing matches.",
  onType,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  placeholder: string;
  items: readonly PickerItem[];
  empty?: ReactNode;
  /** Called with what is typed, for choices that the server finds by it. Nothing is typed when the dialog opens. */
  onType?: ((typed: string) => void) | undefined;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && (
        <Choices
          onClose={onClose}
          label={title}
          placeholder={placeholder}
          items={items}
          empty={empty}
          onType={onType}
        />
      )}
    </Dialog>
  );
}

function Choices({
  onClose,
  label,
  placeholder,
  items,
  empty,
  onType,
}: {
  onClose: () => void;
  label: string;
  placeholder: string;
  items: readonly PickerItem[];
  empty: ReactNode;
  onType: ((typed: string) => void) | undefined;
}) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const found = matching(items, typed).slice(0, MOST_SHOWN);
  const take = (item: PickerItem | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setActive((active + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") take(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
          onType?.(event.target.value);
        }}
        onKeyDown={onKeyDown}
        className="field"
      />
      <div id={id} role="listbox" aria-label={label} className="-mx-2 mt-3 h-72 overflow-y-auto">
        {found.map((item, index) => (
          <Choice
            key={item.value}
            id={`${id}-${index}`}
            item={item}
            heading={typed === "" && item.group !== found[index - 1]?.group ? item.group : undefined}
            active={index === active}
            onTake={() => take(item)}
          />
        ))}
        {found.length === 0 && <p className="px-2.5 py-2 text-ink-soft">{empty}</p>}
      </div>
    </div>
  );
}

function Choice({
  id,
  item,
  heading,
  active,
  onTake,
}: {
  id: string;
  item: PickerItem;
  heading: string | undefined;
  active: boolean;
  onTake: () => void;
}) {
  return (
    <>
      {heading && (
        <div role="presentation" className="px-2.5 pt-2 pb-1 text-[0.8rem] text-ink-soft">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the active choice */}
      <div
        id={id}
        role="option"
        aria-selected={active}
        ref={active ? (element) => element?.scrollIntoView({ block: "nearest" }) : null}
        onPointerUp={onTake}
        className={cx("flex items-center gap-2.5 rounded-lg px-2.5 py-2 hover:bg-sunken", active && "bg-sunken")}
      >
        {item.icon && <Icon name={item.icon} className="size-4.5 text-ink-soft" />}
        <span data-hint={item.label} className="min-w-0 flex-1 truncate">
          {item.label}
        </span>
        {item.note && <span className="shrink-0 text-[0.83rem] text-ink-soft">{item.note}</span>}
      </div>
    </>
  );
}
