import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";

export interface FieldProps {
  readonly label: ReactNode;
  /** What to enter, in a few words, below the label. */
  readonly help?: ReactNode;
  /** The error of the entered value. */
  readonly error?: string | null | undefined;
  readonly optional?: boolean;
  /** Shows the label to screen readers only, where the surroundings make the field clear. */
  readonly hide_label?: boolean;
  readonly className?: string;
}

interface ControlProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

/** A label, a control, its help and its error, tied together. `children` gets the control's ids. */
export function Field({
  label,
  help,
  error,
  optional,
  hide_label,
  className,
  children,
}: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const described = [help ? `${id}-help` : null, error ? `${id}-error` : null].filter(Boolean).join(" ");
  return (
    <div className={cx("min-w-0", className)}>
      <label
        htmlFor={id}
        className={hide_label ? "sr-only" : "mb-1 flex items-baseline gap-2 text-[0.9rem] font-medium"}
      >
        {label} {optional && <span className="text-[0.8rem] font-normal text-ink-soft">optional</span>}
      </label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {help && (
        <p id={`${id}-help`} className="mt-1 text-[0.83rem] text-ink-soft">
          {help}
        </p>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  );
}

/** What is wrong with a field, or with several that belong together; nothing for null and undefined. */
export function FieldError({ id, children }: { id?: string; children: string | null | undefined }) {
  if (!children) return null;
  return (
    <p id={id} role="alert" className="mt-1 flex items-start gap-1.5 text-[0.85rem] text-danger-ink">
      <Icon name="warning" className="mt-0.5 size-4" />
      {children}
    </p>
  );
}
