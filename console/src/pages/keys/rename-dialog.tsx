import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { fieldError, messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { KEY_READS } from "./key-reads.ts";

/** Gives a key another name. */
export function RenameDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Rename key">
      {open && <RenameForm for_key={for_key} onClose={onClose} />}
    </Dialog>
  );
}

function RenameForm({ for_key, onClose }: { for_key: Key; onClose: () => void }) {
  const [name, setName] = useState(for_key.name);
  const update = useChange("PATCH /keys/{key}", KEY_READS);
  const submit = async () => {
    await update.mutateAsync({ path: { key: for_key.id }, body: { name: name.trim() } });
    toast("Key renamed");
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit().catch(() => undefined);
      }}
    >
      {update.error && fieldError(update.error, "name") === null && (
        <Notice tone="danger">{messageOf(update.error)}</Notice>
      )}
      <Input
        label="Name"
        maxLength={200}
        value={name}
        error={fieldError(update.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={update.isPending}>
          Rename key
        </Button>
      </DialogActions>
    </form>
  );
}
