import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import { cx } from "./cx.ts";
import { Dialog } from "./dialog.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { FittingName } from "./long-name.tsx";
import { matching } from "./matching.ts";
import { NoOptions } from "./no-options.tsx";
import { Spinner } from "./spinner.tsx";

export interface PickerItem {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
  /** What else it is found by, and not shown. */
  readonly also?: string;
  /** It is found by its label alone. */
  readonly by_label?: boolean;
  /** The server found it: during a search it is what was found by an earlier text, and may go. */
  readonly of_server?: boolean;
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
  searching = false,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  placeholder: string;
  items: readonly PickerItem[];
  empty?: ReactNode;
  /** Called with what is typed, for choices that the server finds by it. Nothing is typed when the dialog opens. */
  onType?: ((typed: string) => void) | undefined;
  /** What the server finds by the typed text is on its way. Enter on a choice of the server's waits for it. */
  searching?: boolean | undefined;
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
          searching={searching}
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
  searching,
}: {
  onClose: () => void;
  label: string;
  placeholder: string;
  items: readonly PickerItem[];
  empty: ReactNode;
  onType: ((typed: string) => void) | undefined;
  searching: boolean;
}) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const found = matching(items, typed).slice(0, MOST_SHOWN);
  const take = (item: PickerItem | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const { active, mark } = useMark(found, searching);
  const wait = useWaiting(searching, () => take(found[active]));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    wait.stop();
    if (step !== 0) mark(found[(active + step + found.length) % Math.max(1, found.length)]);
    else if (event.key !== "Enter") return;
    else if (searching && (found[active]?.of_server ?? found.length === 0)) wait.start();
    else take(found[active]);
    event.preventDefault();
  };
  return (
    <div>
      <div className="relative">
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
            wait.stop();
            mark(undefined);
            onType?.(event.target.value);
          }}
          onKeyDown={onKeyDown}
          className="field"
        />
        {wait.is_waiting && <Spinner className="absolute top-3 right-3 size-4 text-ink-soft" />}
      </div>
      {found.length === 0 ? (
        <div className="-mx-2 mt-3 h-72">
          <NoOptions id={id} busy={wait.is_waiting}>
            {empty}
          </NoOptions>
        </div>
      ) : (
        <div
          id={id}
          role="listbox"
          aria-label={label}
          aria-busy={wait.is_waiting}
          className="-mx-2 mt-3 h-72 overflow-y-auto"
        >
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
        </div>
      )}
    </div>
  );
}

/**
 * Which choice is marked: the first, until the user marks another or the list is that of the typed text. From then on the mark stays on its choice,
 * wherever rows that arrive move it, and goes to the first where the choice is gone.
 */
function useMark(found: readonly PickerItem[], searching: boolean) {
  const [marked, setMarked] = useState<string | undefined>(undefined);
  const at = found.findIndex(({ value }) => value === marked);
  const first = found[0];
  const is_final = first !== undefined && !(searching && first.of_server);
  if (at === -1 && is_final) setMarked(first.value);
  return { active: Math.max(0, at), mark: (item: PickerItem | undefined) => setMarked(item?.value) };
}

/** Remembers during a search that Enter was pressed, and runs it once the search has ended. */
function useWaiting(searching: boolean, run: () => void) {
  const [is_waiting, setWaiting] = useState(false);
  useEffect(() => {
    if (!is_waiting || searching) return;
    setWaiting(false);
    run();
  });
  return { is_waiting, start: () => setWaiting(true), stop: () => setWaiting(false) };
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
        {/* On several lines, since long names may differ at their ends alone. */}
        <span data-hint={item.label} className="line-clamp-4 min-w-[45%] flex-1">
          <FittingName>{item.label}</FittingName>
        </span>
        {item.note && (
          <span className="min-w-0 text-right text-[0.83rem] text-ink-soft">
            <FittingName>{item.note}</FittingName>
          </span>
        )}
      </div>
    </>
  );
}
