import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./cx.ts";
import { Icon, type IconName } from "./icon.tsx";

const ITEM =
  "flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left outline-none data-[highlighted]:bg-sunken";

/**
 * A menu under a button: arrow keys, first letters, Escape. `trigger` is one focusable element. Not modal: a modal one
 * would insert a style element, which our content policy refuses.
 */
export function Menu({
  trigger,
  align = "end",
  label,
  children,
}: {
  trigger: ReactElement;
  align?: "start" | "end";
  label: string;
  children: ReactNode;
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        {/* A landmark of its own, since the menu is outside of all other landmarks. */}
        <section aria-label={label}>
          <DropdownMenu.Content
            aria-label={label}
            align={align}
            sideOffset={6}
            collisionPadding={8}
            className="rise z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-float"
          >
            {children}
          </DropdownMenu.Content>
        </section>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function MenuItem({
  icon,
  danger = false,
  disabled = false,
  onSelect,
  children,
}: {
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(ITEM, danger && "text-danger-ink", "data-[disabled]:text-ink-soft data-[disabled]:opacity-60")}
    >
      {icon && <Icon name={icon} className={cx("size-4.5", !danger && "text-ink-soft")} />}
      {children}
    </DropdownMenu.Item>
  );
}

/** A choice in a menu; the chosen value is marked. */
export function MenuChoice<Value extends string>({
  value,
  options,
  onChange,
}: {
  value: Value;
  options: readonly { readonly value: Value; readonly label: ReactNode; readonly icon?: IconName }[];
  onChange: (value: Value) => void;
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(chosen) => onChange(chosen as Value)}>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={ITEM}>
          {option.icon && <Icon name={option.icon} className="size-4.5 text-ink-soft" />}
          <span className="flex-1">{option.label}</span>
          <DropdownMenu.ItemIndicator>
            <Icon name="check" className="size-4.5 text-accent-ink" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2.5 pt-1.5 pb-1 text-[0.82rem] text-ink-soft">{children}</DropdownMenu.Label>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="-mx-1.5 my-1.5 h-px bg-line" />;
}
