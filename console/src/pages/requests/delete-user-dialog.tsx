import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";

interface Props {
  readonly account: string;
  /** Whom the list shows, to begin with. */
  readonly user: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Deletes all that is kept of one end user. */
export function DeleteUserDialog({ open, ...props }: Props) {
  return (
    <Dialog
      open={open}
      onClose={props.onClose}
      title="Delete what an end user said"
      description="All that is kept of one person goes, requests and answers. This cannot be undone."
    >
      {open && <DeleteUserForm {...props} />}
    </Dialog>
  );
}

function DeleteUserForm({ account, user: shown, onClose }: Omit<Props, "open">) {
  const [user, setUser] = useState(shown);
  const change = useChange("POST /contents/delete-user", ["GET /contents"]);
  const submit = () =>
    change.mutate(
      { body: { account, user: user.trim() } },
      {
        onSuccess: ({ deleted }) => {
          toast(deleted === 0 ? "Nothing was kept of this end user" : `Deleted what ${deleted} requests said`);
          onClose();
        },
      },
    );
  return (
    <DialogForm
      error={change.error}
      action="Delete"
      icon="trash"
      busy={change.isPending}
      disabled={user.trim() === ""}
      onSubmit={submit}
      onCancel={onClose}
    >
      <Input
        label="End user's id"
        help="As requests have it in safety_identifier, user or metadata.user_id."
        maxLength={512}
        value={user}
        onChange={setUser}
      />
    </DialogForm>
  );
}
