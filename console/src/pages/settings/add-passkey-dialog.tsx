import { useState } from "react";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { Input } from "../../kit/input.tsx";
import { useAttempt } from "../../kit/use-attempt.ts";

/** Names a passkey, then lets the browser make it. */
export function AddPasskeyDialog({
  open,
  onClose,
  onAdd,
}: {
  open: boolean;
  onClose: () => void;
  onAdd: (name: string) => Promise<void>;
}) {
  return (
    <Dialog open={open} onClose={onClose} title="Add a passkey" description="Your browser will ask where to keep it.">
      {open && <PasskeyForm onClose={onClose} onAdd={onAdd} />}
    </Dialog>
  );
}

function PasskeyForm({ onClose, onAdd }: { onClose: () => void; onAdd: (name: string) => Promise<void> }) {
  const [name, setName] = useState("");
  const { busy, error, run } = useAttempt();
  return (
    <DialogForm
      error={error}
      action="Continue"
      icon="passkey"
      busy={busy}
      onSubmit={() => void run(() => onAdd(name.trim()), onClose)}
      onCancel={onClose}
    >
      <Input
        label="Name"
        optional
        maxLength={200}
        placeholder="Laptop"
        help="Shown in this list."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </DialogForm>
  );
}
