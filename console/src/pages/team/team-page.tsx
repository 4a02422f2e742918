import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { SessionUser } from "../../../../contract/session.ts";
import { updateSession, useUser } from "../../api/session.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { toast } from "../../kit/toast.tsx";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { InviteDialog } from "../admin-users/invite-dialog.tsx";
import { ManagementKeys } from "./management-keys.tsx";
import { Members } from "./members.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { RoleTable } from "./role-table.tsx";

/** The members of the account with their roles, and its invitations. */
export function TeamPage() {
  const account = useAccount();
  const user = useUser();
  const may = useMay();
  const [asking, setAsking] = useState<"invite" | "leave" | null>(null);
  const shown = useApi("GET /accounts/{account}", { path: { account } }).data;
  const may_invite = may("members:write");
  useShortcuts(may_invite ? [{ keys: "n", label: "Invite a member", run: () => setAsking("invite") }] : []);
  const own = user.accounts.find(({ id }) => id === account);
  return (
    <>
      <PageHeader
        title="Team"
        guide="console#team"
        description="The people who sign in to this account, and what each of them may do in it."
        actions={
          <>
            {own && <Button onClick={() => setAsking("leave")}>Leave the account</Button>}
            {may_invite && (
              <Button kind="primary" icon="plus" onClick={() => setAsking("invite")}>
                Invite a member
              </Button>
            )}
          </>
        }
      />
      <div className="space-y-5">
        <Card title="Members" flush>
          <Members account={account} />
        </Card>
        {may_invite && <OpenInvitations account={account} />}
        {may("management_keys:write") && <ManagementKeys account={account} />}
        <RoleTable />
      </div>
      {shown && <InviteDialog open={asking === "invite"} onClose={() => setAsking(null)} account={shown} />}
      {own && <LeaveDialog account={own} open={asking === "leave"} onClose={() => setAsking(null)} />}
    </>
  );
}

/** Asks a member for confirmation before they leave an account. */
function LeaveDialog({
  account,
  open,
  onClose,
}: {
  account: SessionUser["accounts"][number];
  open: boolean;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const leave = useChange("DELETE /me/accounts/{account}");
  const name = account.name || account.email;
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Leave ${name}?`}
      action="Leave the account"
      danger
      onConfirm={async () => {
        const { joined: _joined, ...session } = await leave.mutateAsync({ path: { account: account.id } });
        updateSession(session);
        toast(`You left ${name}`);
        await navigate({ to: "/", search: { account: undefined } });
      }}
    >
      You lose access at once. Keys that you created stay with the account and keep working. To come back, you need an
      invitation.
    </ConfirmDialog>
  );
}
