import { type ChangeEvent, type ComponentProps, type FormEvent, useState } from "react";
import { cx } from "./cx.ts";
import { Field, type FieldProps } from "./field.tsx";
import { Icon } from "./icon.tsx";
import type { Option } from "./options.ts";

interface OwnProps extends FieldProps {
  readonly mono?: boolean;
  /** Gets the text in the field, or the option's value. */
  readonly onChange?: (typed: string) => void;
}

type Own<Tag extends "input" | "textarea" | "select"> = OwnProps &
  Omit<ComponentProps<Tag>, "className" | "id" | "onChange">;

function split<Props extends OwnProps>(props: Props) {
  const { label, help, error, optional, hide_label, className, mono, onChange, ...control } = props;
  return {
    field: { label, help, error, optional, hide_label, className },
    control: {
      ...control,
      onChange: ({ target }: ChangeEvent<Control | HTMLSelectElement>) => onChange?.(target.value),
    },
    face: cx("field", mono && "font-mono text-[0.9rem]"),
  };
}

type Control = HTMLInputElement | HTMLTextAreaElement;

/** What a form that is sent lacks in a control, said below it as the console's other errors are, in place of the browser's own bubble. */
function useObjection(error: FieldProps["error"]) {
  const [objection, setObjection] = useState<string | null>(null);
  const listeners = {
    onInvalid: (event: FormEvent<Control>) => {
      event.preventDefault();
      setObjection(objectionTo(event.currentTarget));
      // The browser would have gone to the first.
      if (event.currentTarget.form?.querySelector("input:invalid, textarea:invalid") === event.currentTarget)
        event.currentTarget.focus();
    },
    onInput: () => setObjection(null),
  };
  return { error: error ?? objection, listeners };
}

function objectionTo({ validity, type, minLength, validationMessage }: Control): string {
  if (validity.valueMissing) return "This field is required.";
  if (validity.tooShort) return `Enter at least ${minLength} characters.`;
  if (validity.typeMismatch && type === "email") return "Enter an e-mail address such as ana@example.com.";
  return validationMessage;
}

/** A line of text with its label. `mono` for ids, amounts and code. */
export function Input(props: Own<"input">) {
  const { field, control, face } = split(props);
  const { error, listeners } = useObjection(field.error);
  return (
    <Field {...field} error={error}>
      {(ids) => <input autoComplete="off" {...control} {...listeners} {...ids} className={face} />}
    </Field>
  );
}

/** Several lines of text. */
export function Textarea(props: Own<"textarea">) {
  const { field, control, face } = split(props);
  const { error, listeners } = useObjection(field.error);
  return (
    <Field {...field} error={error}>
      {(ids) => <textarea rows={4} {...control} {...listeners} {...ids} className={cx(face, "resize-y")} />}
    </Field>
  );
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
