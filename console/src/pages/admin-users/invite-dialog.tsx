import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import type { Invitation } from "../../../../contract/users.ts";
import type { CreatedInvitation } from "../../../../contract/users.ts";
import { fieldError, messageOf } from "../../api/api-error.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { OneTimeLink } from "../admin-parts/one-time-link.tsx";

/** Invites a person and shows the link once. `account`: the future user's account, where known already. */
export function InviteDialog({ open, onClose, account }: { open: boolean; onClose: () => void; account?: Account }) {
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  const title = made === null ? "Invite a user" : `${made.email} is invited`;
  return (
    <Dialog open={open} onClose={close} title={title} insist={made !== null}>
      {open && made === null && <InviteForm account={account} onClose={close} onMade={setMade} />}
      {made !== null && (
        <>
          <OneTimeLink link={made.link} expires_at={made.expires_at}>
            Send this link to {made.email}. Whoever opens it chooses a password and is{" "}
            {made.role === "administrator" ? "an administrator" : "a member"}.
          </OneTimeLink>
          <DialogActions>
            <Button kind="primary" onClick={close}>
              Done
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

const OWN = "";

function InviteForm({
  account,
  onClose,
  onMade,
}: {
  account: Account | undefined;
  onClose: () => void;
  onMade: (made: CreatedInvitation) => void;
}) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Invitation["role"]>("member");
  const [chosen, setChosen] = useState(account?.id ?? OWN);
  const accounts = useApi("GET /accounts", {});
  const invite = useChange("POST /invitations", ["GET /invitations", "GET /audit-log"]);
  const options = [
    { value: OWN, label: "A new account of their own" },
    ...(accounts.data?.data ?? []).map(({ id, email: label, name }) => ({ value: id, label, note: name })),
  ];
  const errors = { email: fieldError(invite.error, "email"), account: fieldError(invite.error, "account") };
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        const body = { email: email.trim(), role, ...(chosen === OWN ? {} : { account: chosen }) };
        invite.mutate({ body }, { onSuccess: onMade });
      }}
    >
      {invite.error && !errors.email && !errors.account && <Notice tone="danger">{messageOf(invite.error)}</Notice>}
      <Input
        label="E-mail"
        type="email"
        required
        maxLength={254}
        placeholder="ada@example.com"
        help="An earlier invitation of the same address stops working."
        value={email}
        error={errors.email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Select
        label="Role"
        options={[
          { value: "member", label: "Member: sees and uses one account" },
          { value: "administrator", label: "Administrator: sees and changes everything" },
        ]}
        value={role}
        onChange={(event) => setRole(event.target.value === "administrator" ? "administrator" : "member")}
      />
      <Combobox
        label="Account"
        options={options}
        value={chosen}
        onChange={setChosen}
        help="The account that they belong to."
        error={errors.account}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={invite.isPending} disabled={email.trim() === ""}>
          Make the invitation
        </Button>
      </DialogActions>
    </form>
  );
}
