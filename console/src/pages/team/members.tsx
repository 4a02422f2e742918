import { useState } from "react";
import type { Member } from "../../../../contract/members.ts";
import { roleMay } from "../../../../contract/permissions.ts";
import { useUser } from "../../api/session.ts";
import { useApiPages } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { type Column, columnsOf, DataTable } from "../../kit/data-table.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { FilterBar, FilterText } from "../../kit/filter-bar.tsx";
import { BeneathName } from "../../kit/long-name.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../kit/menu.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useMay } from "../../kit/use-account.ts";
import { Time } from "../../kit/values.tsx";
import { type MemberAction, MemberDialogs } from "./member-dialogs.tsx";
import { projectColumn } from "./project-column.tsx";

/** The members of an account, with actions for those who may change them. */
export function Members({ account }: { account: string }) {
  const [{ q = "" }] = useUrlState("q");
  const query = { limit: "100", ...(q !== "" && { q: q.slice(0, 200) }) };
  const members = useApiPages("GET /accounts/{account}/members", { path: { account }, query });
  const may = useMay();
  const me = useUser();
  const [asked, setAsked] = useState<MemberAction | null>(null);
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
    projectColumn(),
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
        {() => (
          <>
            {(q !== "" || members.hasNextPage || members.rows.length > FEW) && (
              <div className="px-5 pt-4">
                <FilterBar names={["q"]} label="Find members">
                  <FilterText name="q" label="Search members" />
                </FilterBar>
              </div>
            )}
            {members.rows.length === 0 ? (
              <Nobody is_filtered={q !== ""} />
            ) : (
              <DataTable
                caption="Members"
                columns={columnsOf(may("members:write") ? [...columns, actions] : columns, !members.hasNextPage)}
                rows={members.rows}
                file={fileOfPages("members", members)}
                rowKey={({ user }) => user}
                first_rows={100}
                footer={<Pagination pages={members} noun={members.rows.length === 1 ? "member" : "members"} />}
              />
            )}
          </>
        )}
      </Loaded>
      <MemberDialogs asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

/** The most members that need no search. */
const FEW = 10;

function Nobody({ is_filtered }: { is_filtered: boolean }) {
  return is_filtered ? (
    <EmptyState icon="search" title="No member matches">
      No member has this in their e-mail or name.
    </EmptyState>
  ) : (
    <EmptyState icon="users" title="No members yet">
      Its keys work without members. Invite someone to see what they spend.
    </EmptyState>
  );
}

function Actions({ member, onAsk }: { member: Member; onAsk: (what: MemberAction["what"]) => void }) {
  const name = member.name || member.email;
  return (
    <Menu label={`Actions for ${name}`} trigger={<IconButton icon="more" label={`Actions for ${name}`} />}>
      <MenuItem icon="edit" onSelect={() => onAsk("role")}>
        Change the role
      </MenuItem>
      {roleMay(member.role, "keys:write") && (
        <MenuItem icon="models" onSelect={() => onAsk("project")}>
          Set default project
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon="close" danger onSelect={() => onAsk("remove")}>
        Remove from the account
      </MenuItem>
    </Menu>
  );
}

function Named({ member: { name, email }, me }: { member: Member; me: boolean }) {
  return (
    <div className="min-w-0 text-left cards:pr-10">
      <span className="flex flex-wrap items-center gap-x-2 break-words">
        {name || email}
        {me && <Badge>you</Badge>}
      </span>
      {name && <BeneathName>{email}</BeneathName>}
    </div>
  );
}
