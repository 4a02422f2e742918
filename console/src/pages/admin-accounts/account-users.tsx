import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import type { User } from "../../../../contract/users.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";
import { InviteDialog } from "../admin-users/invite-dialog.tsx";

const COLUMNS: readonly Column<User>[] = [
  {
    key: "user",
    header: "User",
    heading: true,
    cell: ({ email, name, role }) => (
      <div className="text-left">
        <span className="flex flex-wrap items-center gap-x-2">
          <RowLink to="/admin/users" search={{ q: email }}>
            {name || email || "First administrator"}
          </RowLink>
          {role === "administrator" && <Badge tone="accent">administrator</Badge>}
        </span>
        {name && <div className="text-[0.85rem] font-normal break-all text-ink-soft">{email}</div>}
      </div>
    ),
  },
  { key: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { key: "seen", header: "Last seen", numeric: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
];

/** The users who may sign in and see the account. */
export function AccountUsers({ account }: { account: Account }) {
  const users = useApi("GET /users", {});
  const [inviting, setInviting] = useState(false);
  return (
    <Card
      title="Users"
      actions={
        <Button size="small" icon="plus" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
      flush
    >
      <Loaded query={users}>
        {({ data }) => {
          const own = data.filter((user) => user.account === account.id);
          return own.length === 0 ? (
            <EmptyState icon="users" title="Nobody signs in to this account">
              Its keys work all the same. Invite somebody who should see what they spend.
            </EmptyState>
          ) : (
            <DataTable caption="Users" columns={COLUMNS} rows={own} rowKey={({ id }) => id} />
          );
        }}
      </Loaded>
      <InviteDialog open={inviting} onClose={() => setInviting(false)} account={account} />
    </Card>
  );
}
