import type { Account } from "../../../../contract/accounts.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { useTexts } from "../../kit/use-texts.ts";

const STALE = ["GET /accounts", "GET /accounts/{account}", "GET /overview", "GET /names", "GET /audit-log"] as const;

/** Gives an account another name, or another e-mail by which it is called. */
export function RenameDialog({ account, open, onClose }: { account: Account; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Rename account">
      {open && <RenameForm account={account} onClose={onClose} />}
    </Dialog>
  );
}

function RenameForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const update = useChange("PATCH /accounts/{account}", STALE);
  const { texts, field, other_error } = useTexts({ name: account.name, email: account.email }, update.error);
  const submit = () =>
    update.mutate(
      { path: { account: account.id }, body: { name: texts.name.trim(), email: texts.email.trim() } },
      { onSuccess: toastAnd(onClose, "Account renamed") },
    );
  return (
    <DialogForm
      error={other_error}
      action="Rename account"
      busy={update.isPending}
      onSubmit={submit}
      onCancel={onClose}
    >
      <Input label="Name" optional maxLength={200} {...field("name")} />
      <Input
        label="E-mail"
        type="email"
        required
        help="Names the account in lists and commands. Users keep the e-mail they sign in with."
        {...field("email")}
      />
    </DialogForm>
  );
}
