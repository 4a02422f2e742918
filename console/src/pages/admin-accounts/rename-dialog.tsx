import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { fieldError } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";

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
  const [name, setName] = useState(account.name);
  const [email, setEmail] = useState(account.email);
  const update = useChange("PATCH /accounts/{account}", STALE);
  const errors = { name: fieldError(update.error, "name"), email: fieldError(update.error, "email") };
  const submit = () =>
    update.mutate(
      { path: { account: account.id }, body: { name: name.trim(), email: email.trim() } },
      {
        onSuccess: () => {
          toast("Account renamed");
          onClose();
        },
      },
    );
  return (
    <DialogForm
      error={errors.name === null && errors.email === null ? update.error : null}
      action="Rename account"
      busy={update.isPending}
      onSubmit={submit}
      onCancel={onClose}
    >
      <Input
        label="Name"
        optional
        maxLength={200}
        value={name}
        error={errors.name}
        onChange={(event) => setName(event.target.value)}
      />
      <Input
        label="E-mail"
        type="email"
        required
        help="Names the account in lists and commands. Users keep the e-mail they sign in with."
        value={email}
        error={errors.email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </DialogForm>
  );
}
