import type { ReactNode } from "react";
import { messageOf } from "../api/api-error.ts";
import { Button } from "./button.tsx";
import { DialogActions } from "./dialog.tsx";
import type { IconName } from "./icon.tsx";
import { Notice } from "./states.tsx";

interface DialogFormProps {
  /** The fields. */
  readonly children: ReactNode;
  /** An error that stands at no field, shown above the fields; null or undefined without one. */
  readonly error?: unknown;
  /** The verb on the button that submits: "Move key". */
  readonly action: string;
  readonly icon?: IconName;
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
}

/** The form of a dialog: its error, its fields, and at its end the buttons that give up and that submit. */
export function DialogForm({ children, error, action, icon, onSubmit, onCancel, busy, disabled }: DialogFormProps) {
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {error != null && <Notice tone="danger">{messageOf(error)}</Notice>}
      {children}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" icon={icon} busy={busy} disabled={disabled}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
