import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { fieldError } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { Input } from "../../kit/input.tsx";
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
    <DialogForm
      error={fieldError(update.error, "name") === null ? update.error : null}
      action="Rename key"
      busy={update.isPending}
      onSubmit={() => void submit().catch(() => undefined)}
      onCancel={onClose}
    >
      <Input
        label="Name"
        maxLength={200}
        value={name}
        error={fieldError(update.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
    </DialogForm>
  );
}
