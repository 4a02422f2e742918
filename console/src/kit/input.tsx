import type { ComponentProps } from "react";
import { cx } from "./cx.ts";
import { Field, type FieldProps } from "./field.tsx";
import { Icon } from "./icon.tsx";

type Own<Tag extends "input" | "textarea" | "select"> = FieldProps &
  Omit<ComponentProps<Tag>, "className" | "id"> & { mono?: boolean };

function split<Props extends FieldProps & { mono?: boolean }>(props: Props) {
  const { label, help, error, optional, hide_label, className, mono, ...control } = props;
  return {
    field: { label, help, error, optional, hide_label, className },
    control,
    face: cx("field", mono && "font-mono text-[0.9rem]"),
  };
}

/** A line of text with its label. `mono` for ids, amounts and code. */
export function Input(props: Own<"input">) {
  const { field, control, face } = split(props);
  return <Field {...field}>{(ids) => <input autoComplete="off" {...control} {...ids} className={face} />}</Field>;
}

/** Several lines of text. */
export function Textarea(props: Own<"textarea">) {
  const { field, control, face } = split(props);
  return (
    <Field {...field}>{(ids) => <textarea rows={4} {...control} {...ids} className={cx(face, "resize-y")} />}</Field>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** A choice of one of a few options, by the platform's own list, which works everywhere; for many, use a Combobox. */
export function Select({ options, ...props }: Own<"select"> & { options: readonly Option[] }) {
  const { field, control, face } = split(props);
  return (
    <Field {...field}>
      {(ids) => (
        <div className="relative">
          <select {...control} {...ids} className={cx(face, "appearance-none pr-8")}>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <Icon
            name="chevron-down"
            className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-ink-soft"
          />
        </div>
      )}
    </Field>
  );
}
