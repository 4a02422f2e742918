import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";

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
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const add = async () => {
    setBusy(true);
    setError(null);
    try {
      await onAdd(name.trim());
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      <Input
        label="Name"
        optional
        maxLength={200}
        placeholder="Laptop"
        help="So that you know it again in this list."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" icon="passkey" busy={busy}>
          Continue
        </Button>
      </DialogActions>
    </form>
  );
}
