import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { InviteDialog } from "../admin-users/invite-dialog.tsx";
import { Members } from "../team/members.tsx";

/** The users who may sign in and see the account. */
export function AccountUsers({ account }: { account: Account }) {
  const [inviting, setInviting] = useState(false);
  return (
    <Card
      title="Members"
      actions={
        <Button size="small" icon="plus" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
      flush
    >
      <Members account={account.id} />
      <InviteDialog open={inviting} onClose={() => setInviting(false)} account={account} />
    </Card>
  );
}
