import type { ReactNode } from "react";
import { messageOf } from "../api/api-error.ts";
import { Button } from "./button.tsx";
import { DialogActions } from "./dialog.tsx";
import type { IconName } from "./icon.tsx";
import { Notice } from "./states.tsx";

interface FormProps {
  readonly children: ReactNode;
  /** An error that stands at no field, shown above the fields; null or undefined without one. */
  readonly error?: unknown;
  readonly className?: string;
  readonly onSubmit: () => void;
}

export function Form({ children, error, className = "space-y-4", onSubmit }: FormProps) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {error != null && <Notice tone="danger">{messageOf(error)}</Notice>}
      {children}
    </form>
  );
}

interface DialogFormProps extends FormProps {
  /** The verb on the button that submits: "Move key". */
  readonly action: ReactNode;
  readonly icon?: IconName;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** A button of another way out, before the others. */
  readonly other?: ReactNode;
  readonly onCancel: () => void;
}

/** The form of a dialog: its error, its fields, and at its end the buttons that give up and that submit. */
export function DialogForm({ children, action, icon, busy, disabled, other, onCancel, ...form }: DialogFormProps) {
  return (
    <Form {...form}>
      {children}
      <DialogActions>
        {other}
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" icon={icon} busy={busy} disabled={disabled}>
          {action}
        </Button>
      </DialogActions>
    </Form>
  );
}
