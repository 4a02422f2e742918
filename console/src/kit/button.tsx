import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Spinner } from "./spinner.tsx";

type ButtonKind = "primary" | "secondary" | "quiet" | "danger";
type ButtonSize = "small" | "medium";

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover shadow-lift",
  secondary: "border border-line bg-surface text-ink hover:border-line-strong shadow-lift",
  quiet: "text-ink-soft hover:bg-sunken hover:text-ink",
  danger: "bg-danger text-on-danger hover:bg-danger-hover shadow-lift",
};

const SIZES: Readonly<Record<ButtonSize, string>> = {
  small: "min-h-8 px-2.5 text-[0.87rem]",
  medium: "min-h-9.5 px-3.5",
};

const SHAPE =
  "inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:cursor-not-allowed disabled:opacity-60";

function look(kind: ButtonKind, size: ButtonSize, className?: string): string {
  return cx(SHAPE, KINDS[kind], SIZES[size], className);
}

interface ButtonProps extends ComponentProps<"button"> {
  kind?: ButtonKind;
  size?: ButtonSize;
  icon?: IconName;
  /** Shows that the action is still running, and takes no second press. */
  busy?: boolean;
  /** Takes no second click of a double click: that was meant for the button which stood in its place before, such as "Continue". */
  deliberate?: boolean;
}

/** The button. Each view has one `primary` button; `danger` is only for actions that cannot be undone. */
export function Button({
  kind = "secondary",
  size = "medium",
  icon,
  busy = false,
  deliberate = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      onClick={(event) => {
        if (deliberate && event.detail > 1) event.preventDefault();
        else onClick?.(event);
      }}
      disabled={rest.disabled === true || busy}
      aria-busy={busy || undefined}
      className={look(kind, size, className)}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function LinkButton({
  kind = "secondary",
  size = "medium",
  icon,
  className,
  children,
  ...link
}: LinkProps & { kind?: ButtonKind; size?: ButtonSize; icon?: IconName; className?: string; children?: ReactNode }) {
  return (
    <Link {...link} className={look(kind, size, className)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

/** A button that is only an icon; `label` says what it does, aloud and on hover. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: { icon: IconName; label: string } & ComponentProps<"button">) {
  return (
    <button
      type="button"
      aria-label={label}
      data-hint={label}
      {...rest}
      className={cx(
        "inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-60",
        className,
      )}
    >
      <Icon name={icon} className="size-5" />
    </button>
  );
}
