import { type ComponentProps, type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

type Props = Omit<ComponentProps<"input">, "type" | "id" | "onChange" | "className"> & {
  label: ReactNode;
  help?: ReactNode;
  hide_label?: boolean;
  onChange?: (checked: boolean) => void;
};

/** A yes or no in a form that is sent later. */
export function Checkbox(props: Props) {
  return <Toggle {...props} face="mt-0.5 size-4.5 shrink-0 cursor-pointer accent-accent" />;
}

/** A switch that takes effect at once. */
export function Switch(props: Props) {
  return (
    <Toggle
      {...props}
      role="switch"
      face={cx(
        "relative mt-px h-5.5 w-9.5 shrink-0 cursor-pointer appearance-none rounded-full bg-line-strong transition-colors checked:bg-accent",
        "before:absolute before:top-0.5 before:left-0.5 before:size-4.5 before:rounded-full before:bg-surface before:transition-transform checked:before:translate-x-4",
        "disabled:cursor-not-allowed disabled:opacity-60",
      )}
    />
  );
}

function Toggle({ label, help, hide_label, onChange, face, ...rest }: Props & { face: string }) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={help ? `${id}-help` : undefined}
        onChange={(event) => onChange?.(event.target.checked)}
        className={face}
      />
      <div className={hide_label ? "sr-only" : "min-w-0"}>
        <label htmlFor={id} className="cursor-pointer font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-[0.85rem] text-ink-soft">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}
