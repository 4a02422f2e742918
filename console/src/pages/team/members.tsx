import { useState } from "react";
import type { Member } from "../../../../contract/members.ts";
import { useUser } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../kit/menu.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useMay } from "../../kit/use-account.ts";
import { Time } from "../../kit/values.tsx";
import { type Asked, MemberDialogs } from "./member-dialogs.tsx";

/** The members of an account, with actions for those who may change them. */
export function Members({ account }: { account: string }) {
  const members = useApi("GET /accounts/{account}/members", { path: { account } });
  const may = useMay();
  const me = useUser();
  const [asked, setAsked] = useState<Asked | null>(null);
  const columns: readonly Column<Member>[] = [
    {
      key: "user",
      header: "Member",
      heading: true,
      sortBy: ({ name, email }) => name || email,
      cell: (member) => <Named member={member} me={member.user === me.id} />,
    },
    {
      key: "role",
      header: "Role",
      sortBy: ({ role }) => role,
      cell: ({ role }) => <Badge tone={role === "owner" ? "accent" : "neutral"}>{role}</Badge>,
    },
    { key: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
    { key: "joined", header: "Joined", cell: ({ joined_at }) => <Time at={joined_at} /> },
    { key: "seen", header: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  ];
  const actions: Column<Member> = {
    key: "actions",
    header: "Actions",
    hide_header: true,
    className: "text-right cards:absolute cards:top-2 cards:right-2",
    cell: (member) => <Actions member={member} onAsk={(what) => setAsked({ what, member })} />,
  };
  return (
    <>
      <Loaded query={members}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon="users" title="Nobody signs in to this account">
              Its keys work all the same. Invite somebody who should see what they spend.
            </EmptyState>
          ) : (
            <DataTable
              caption="Members"
              columns={may("members:write") ? [...columns, actions] : columns}
              rows={data}
              rowKey={({ user }) => user}
              first_rows={100}
            />
          )
        }
      </Loaded>
      <MemberDialogs asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

function Actions({ member, onAsk }: { member: Member; onAsk: (what: Asked["what"]) => void }) {
  const name = member.name || member.email;
  return (
    <Menu label={`Actions for ${name}`} trigger={<IconButton icon="more" label={`Actions for ${name}`} />}>
      <MenuItem icon="edit" onSelect={() => onAsk("role")}>
        Change the role
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="close" danger onSelect={() => onAsk("remove")}>
        Remove from the account
      </MenuItem>
    </Menu>
  );
}

function Named({ member: { name, email }, me }: { member: Member; me: boolean }) {
  return (
    <div className="min-w-0 text-left">
      <span className="flex flex-wrap items-center gap-x-2 break-words">
        {name || email}
        {me && <Badge>you</Badge>}
      </span>
      {name && <div className="text-[0.85rem] font-normal break-all text-ink-soft">{email}</div>}
    </div>
  );
}
