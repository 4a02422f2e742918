import type { Key } from "../../../../contract/keys.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import { useTexts } from "../../kit/use-texts.ts";
import { KEY_READS } from "./key-reads.ts";

export function RenameDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Rename key">
      {open && <RenameForm for_key={for_key} onClose={onClose} />}
    </Dialog>
  );
}

function RenameForm({ for_key, onClose }: { for_key: Key; onClose: () => void }) {
  const update = useChange("PATCH /keys/{key}", KEY_READS);
  const { texts, field, other_error } = useTexts({ name: for_key.name }, update.error);
  const submit = async () => {
    await update.mutateAsync({ path: { key: for_key.id }, body: { name: texts.name.trim() } });
    toast("Key renamed");
    onClose();
  };
  return (
    <DialogForm
      error={other_error}
      action="Rename key"
      busy={update.isPending}
      onSubmit={() => void submit().catch(() => undefined)}
      onCancel={onClose}
    >
      <Input label="Name" maxLength={200} {...field("name")} />
    </DialogForm>
  );
}
