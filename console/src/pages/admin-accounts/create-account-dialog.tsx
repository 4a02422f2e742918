import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { type ReadAmount, readAmount } from "../../../../contract/amounts.ts";
import type { CreatedInvitation } from "../../../../contract/users.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { useTexts } from "../../kit/use-texts.ts";
import { OneTimeLink } from "../admin-parts/one-time-link.tsx";

interface Made {
  readonly account: Account;
  readonly invitation: CreatedInvitation | null;
  /** Why the requested invitation failed; null where it succeeded or none was requested. */
  readonly problem: string | null;
}

/** Makes an account with its first credit, and invites the person whose account it is. */
export function CreateAccountDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null);
  const navigate = useNavigate();
  const close = () => {
    onClose();
    setMade(null);
  };
  const openAccount = (id: string) => {
    close();
    void navigate({ to: "/admin/accounts/$id", params: { id } });
  };
  const done = (result: Made) => {
    toast("Account created");
    if (result.invitation === null && result.problem === null) openAccount(result.account.id);
    else setMade(result);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={made === null ? "Create an account" : `${made.account.email} has an account`}
      insist={made !== null}
    >
      {open && made === null && <AccountForm onClose={close} onDone={done} />}
      {made !== null && (
        <>
          {made.invitation === null ? (
            <Notice tone="warn">
              The account was created, but the invitation failed: {made.problem} Try again on the users page.
            </Notice>
          ) : (
            <OneTimeLink link={made.invitation.link} expires_at={made.invitation.expires_at}>
              {made.invitation.mailed
                ? `A mail to ${made.account.email} brings this link.`
                : `Send this link to ${made.account.email}.`}{" "}
              They choose a password and get access to this account.
            </OneTimeLink>
          )}
          <DialogActions>
            <Button onClick={close}>Close</Button>
            <Button kind="primary" onClick={() => openAccount(made.account.id)}>
              Open the account
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

function AccountForm({ onClose, onDone }: { onClose: () => void; onDone: (made: Made) => void }) {
  const [invites, setInvites] = useState(false);
  const create = useChange("POST /accounts", ["GET /accounts", "GET /audit-log"]);
  const invite = useChange("POST /invitations", ["GET /invitations"]);
  const { texts, field, other_error } = useTexts({ email: "", name: "", credit: "" }, create.error);
  const { email, name, credit } = texts;
  const amount = credit.trim() === "" ? null : readAmount(credit);
  const not_amount = amount === null ? null : objectionTo(amount);
  const submit = async () => {
    const account = await create.mutateAsync({
      body: {
        email: email.trim(),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(amount === null || "problem" in amount || amount.micro === 0 ? {} : { credit: amount.text }),
      },
    });
    if (!invites) return onDone({ account, invitation: null, problem: null });
    try {
      const body = { email: account.email, role: "member", account: account.id } as const;
      onDone({ account, invitation: await invite.mutateAsync({ body }), problem: null });
    } catch (thrown) {
      onDone({ account, invitation: null, problem: messageOf(thrown) });
    }
  };
  const onSubmit = () => {
    // The error is in `create.error`.
    if (not_amount === null) submit().catch(() => undefined);
  };
  return (
    <DialogForm
      error={not_amount === null ? other_error : null}
      action="Create account"
      busy={create.isPending || invite.isPending}
      disabled={email.trim() === "" || not_amount !== null}
      onSubmit={onSubmit}
      onCancel={onClose}
    >
      <Input label="E-mail" type="email" required maxLength={254} placeholder="team@example.com" {...field("email")} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Input label="Name" optional maxLength={200} placeholder="Research team" {...field("name")} />
        <AmountInput
          label="Opening credit"
          optional
          placeholder="25.00"
          {...field("credit")}
          error={not_amount ?? field("credit").error}
        />
      </div>
      <Checkbox
        label="Invite this person to the console"
        help="Creates a sign-in link for them. It goes out by mail where the gateway sends mail; else you send it."
        checked={invites}
        onChange={setInvites}
      />
    </DialogForm>
  );
}

function objectionTo(credit: ReadAmount): string | null {
  if ("problem" in credit) return credit.problem;
  return credit.micro < 0 ? "Opening credit cannot be negative." : null;
}
