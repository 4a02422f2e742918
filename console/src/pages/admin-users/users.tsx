import { useState } from "react";
import type { User } from "../../../../contract/users.ts";
import { useUser } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Time } from "../../kit/values.tsx";
import { useShowMore } from "../admin-parts/show-more.tsx";
import { type OpenUserDialog, UserDialogs } from "./user-dialogs.tsx";
import { UserActions } from "./user-actions.tsx";
import { signInMethods } from "./sign-in-methods.ts";

/** All users, with role, account and ways to sign in. */
export function Users() {
  const [{ q = "", role, status }] = useUrlState("q", "role", "status");
  const users = useApi("GET /users", {});
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (users.data?.data ?? []).filter(
    (user) =>
      (role === undefined || user.role === role) &&
      (status === undefined || user.status === status) &&
      words.every((word) => `${user.email} ${user.name} ${user.id}`.toLowerCase().includes(word)),
  );
  return (
    <>
      <FilterBar names={["q", "role", "status"]}>
        <FilterText name="q" label="E-mail or name" />
        <FilterSelect
          name="role"
          label="Role"
          all="Any role"
          options={[
            { value: "administrator", label: "Administrators" },
            { value: "member", label: "Members" },
          ]}
        />
        <FilterSelect
          name="status"
          label="Status"
          all="Any status"
          options={[
            { value: "active", label: "Active" },
            { value: "disabled", label: "Disabled" },
          ]}
        />
      </FilterBar>
      <Card flush>
        <Loaded query={users}>
          {() =>
            found.length === 0 ? (
              <EmptyState icon="search" title="No user matches">
                Try a part of the e-mail, or clear the filters.
              </EmptyState>
            ) : (
              <UserTable users={found} />
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

function UserTable({ users }: { users: readonly User[] }) {
  const me = useUser();
  const accounts = useApi("GET /accounts", {});
  const emails = new Map(accounts.data?.data.map(({ id, email }) => [id, email]));
  const [asked, setAsked] = useState<OpenUserDialog | null>(null);
  const { shown, footer } = useShowMore(users, "users");
  const columns: readonly Column<User>[] = [
    {
      key: "user",
      header: "User",
      heading: true,
      sortBy: ({ email }) => email,
      cell: (user) => <Named user={user} me={user.id === me.id} />,
    },
    {
      key: "role",
      header: "Role",
      sortBy: ({ role }) => role,
      cell: ({ role }) => <Badge tone={role === "administrator" ? "accent" : "neutral"}>{role}</Badge>,
    },
    {
      key: "account",
      header: "Accounts",
      cell: ({ accounts: own }) => (
        <ul className="space-y-0.5">
          {own.map(({ account, role }) => (
            <li key={account}>
              <TextLink to="/admin/accounts/$id" params={{ id: account }}>
                <span className="break-all">{emails.get(account) ?? account}</span>
              </TextLink>{" "}
              <span className="text-[0.85rem] text-ink-soft">{role}</span>
            </li>
          ))}
          {own.length === 0 && <li className="text-ink-soft">none</li>}
        </ul>
      ),
    },
    {
      key: "ways",
      header: "Signs in by",
      cell: (user) => signInMethods(user) || <span className="text-warn-ink">no way in yet</span>,
    },
    { key: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: "seen",
      header: "Last seen",
      numeric: true,
      sortBy: ({ last_seen_at }) => last_seen_at && Date.parse(last_seen_at),
      cell: ({ last_seen_at }) => <Time at={last_seen_at} />,
    },
    {
      key: "actions",
      header: "Actions",
      hide_header: true,
      numeric: true,
      cell: (user) => <UserActions user={user} is_me={user.id === me.id} onAsk={(what) => setAsked({ what, user })} />,
    },
  ];
  return (
    <>
      <DataTable
        caption="Users"
        columns={columns}
        rows={shown}
        rowKey={({ id }) => id}
        sort_param="sort"
        footer={footer}
      />
      <UserDialogs asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

function Named({ user: { email, name }, me }: { user: User; me: boolean }) {
  return (
    <div className="min-w-0 text-left">
      <span className="flex flex-wrap items-center gap-x-2">
        {name || email || "First administrator"}
        {me && <Badge>you</Badge>}
      </span>
      {name && email && <div className="text-[0.85rem] font-normal break-all text-ink-soft">{email}</div>}
    </div>
  );
}
