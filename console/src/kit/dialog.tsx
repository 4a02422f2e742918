import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef, useState } from "react";
import { messageOf } from "../api/api-error.ts";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";
import { Input } from "./input.tsx";
import { Notice } from "./states.tsx";
import { toastAnd } from "./toast.tsx";
import { useAttempt } from "./use-attempt.ts";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly wide?: boolean;
  /** Whether only a button of its content closes the dialog, not Escape or a click beside it: for a secret that is shown once. */
  readonly insist?: boolean;
  readonly children?: ReactNode;
}

/**
 * A modal dialog: keeps the focus inside, gives it back, closes on Escape unless it insists. It rises from the bottom on a phone. The
 * shade is our own element and not Radix's, which would insert a style element that our content policy refuses.
 */
export function Dialog({ open, onClose, title, description, wide = false, insist = false, children }: DialogProps) {
  // The element that had the focus gets it back. Radix cannot do this, since the dialog has no trigger.
  const opener = useRef<Element | null>(null);
  return (
    <Radix.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Radix.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            focusFirstField(event);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          onEscapeKeyDown={(event) => insist && event.preventDefault()}
          onInteractOutside={(event) => (insist || isToast(event.target)) && event.preventDefault()}
          className={cx(
            "rise fixed inset-x-0 outline-none bottom-0 z-50 flex max-h-[92dvh] flex-col rounded-t-2xl bg-raised shadow-float",
            "sm:top-[7dvh] sm:bottom-auto sm:mx-auto sm:max-h-[86dvh] sm:w-[calc(100%-2rem)] sm:rounded-2xl",
            wide ? "sm:max-w-3xl" : "sm:max-w-lg",
          )}
        >
          <header className="flex items-start gap-4 px-5 pt-4 pb-2">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-[1.12rem] font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="mt-0.5 text-ink-soft">{description}</Radix.Description>}
            </div>
            {!insist && (
              <Radix.Close
                aria-label="Close"
                className="-mt-1 -mr-2 inline-flex size-9 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
              >
                <Icon name="close" className="size-5" />
              </Radix.Close>
            )}
          </header>
          <div className="min-h-0 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focuses the first field, or else the dialog itself, rather than the close button that comes first. */
function focusFirstField(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const field = event.currentTarget.querySelector<HTMLElement>(
    "input:not([type=hidden], [readonly]), select, textarea",
  );
  (field ?? event.currentTarget).focus();
}

function isToast(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[data-toasts]") !== null;
}

/** The buttons at the end of a dialog or a form, in sight however long the form is; the button that confirms comes last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="form-foot flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{children}</div>;
}

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The consequences of the action, above all those that cannot be undone. */
  readonly children?: ReactNode;
  /** The verb on the button: "Delete key". */
  readonly action: string;
  readonly danger?: boolean;
  /** A text that the user must type before the button works: for actions that cannot be undone. */
  readonly type_to_confirm?: string;
  /** What is said when the action has succeeded: "Key disabled". */
  readonly done?: string;
  /** The action. The dialog shows that it runs, closes when it has succeeded, and shows the error that it throws. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation before an action that would break what people rely on. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title={props.title}>
      {props.open && <Confirmation {...props} />}
    </Dialog>
  );
}

function Confirmation({ onClose, children, action, danger = false, ...asked }: ConfirmDialogProps) {
  const { type_to_confirm, done, onConfirm } = asked;
  const [typed, setTyped] = useState("");
  const { busy, error, run } = useAttempt();
  const ready = type_to_confirm === undefined || typed.trim() === type_to_confirm;

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !busy) void run(onConfirm, done === undefined ? onClose : toastAnd(onClose, done));
      }}
    >
      <div className="space-y-3">
        {children && <div className="text-ink-soft">{children}</div>}
        {type_to_confirm !== undefined && (
          <Input
            label={
              <span>
                Type <span className="font-mono select-all">{type_to_confirm}</span> to confirm
              </span>
            }
            mono
            value={typed}
            onChange={setTyped}
          />
        )}
        {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind={danger ? "danger" : "primary"} busy={busy} disabled={!ready}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
