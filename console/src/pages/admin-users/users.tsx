import { type ReactNode, useState } from "react";
import type { User } from "../../../../contract/users.ts";
import { urlOf } from "../../api/call.ts";
import { useUser } from "../../api/session.ts";
import { useApiPages } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, columnsOf, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { BeneathName, FittingName } from "../../kit/long-name.tsx";
import { optionsOf } from "../../kit/options.ts";
import { Pagination } from "../../kit/pagination.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Time } from "../../kit/values.tsx";
import { UserActions } from "./user-actions.tsx";
import { type OpenUserDialog, UserDialogs } from "./user-dialogs.tsx";

const ROLES = optionsOf({ administrator: "Administrators", member: "Members" });
const STATUSES = optionsOf({ active: "Active", disabled: "Disabled" });

/** All users, with role, account and ways to sign in: found and paged by the server. */
export function Users() {
  const [{ q = "", role, status }] = useUrlState("q", "role", "status");
  const wanted_role = ROLES.find(({ value }) => value === role)?.value;
  const wanted_status = STATUSES.find(({ value }) => value === status)?.value;
  const filters = {
    ...(q !== "" && { q }),
    ...(wanted_role && { role: wanted_role }),
    ...(wanted_status && { status: wanted_status }),
  };
  const query = { limit: "100", ...filters };
  const users = useApiPages("GET /users", { query });
  return (
    <>
      <FilterBar names={["q", "role", "status"]}>
        <FilterText name="q" label="E-mail or name" />
        <FoldedFilters>
          <FilterSelect name="role" label="Role" all="Any role" options={ROLES} />
          <FilterSelect name="status" label="Status" all="Any status" options={STATUSES} />
        </FoldedFilters>
      </FilterBar>
      <Card
        flush
        title="Users"
        actions={<DownloadLink href={urlOf("/users", { query: { ...filters, format: "csv" } })} />}
      >
        <Loaded query={users}>
          {() =>
            users.rows.length === 0 ? (
              <EmptyState icon="search" title="No user matches">
                Try a part of the e-mail, or clear the filters.
              </EmptyState>
            ) : (
              <UserTable
                users={users.rows}
                is_whole={!users.hasNextPage}
                footer={<Pagination pages={users} noun={users.rows.length === 1 ? "user" : "users"} />}
              />
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

function UserTable({ users, is_whole, footer }: { users: readonly User[]; is_whole: boolean; footer: ReactNode }) {
  const me = useUser();
  const emails = useNames(users.flatMap(({ accounts }) => accounts.map(({ account }) => account)));
  const [asked, setAsked] = useState<OpenUserDialog | null>(null);
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
      className: "min-w-36",
      cell: ({ accounts: own }) => (
        <ul className="space-y-0.5">
          {own.map(({ account, role }) => (
            <li key={account}>
              <TextLink to="/admin/accounts/$id" params={{ id: account }}>
                <FittingName>{emails.get(account) ?? account}</FittingName>
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
      header: "Signs in with",
      cell: (user) => signInMethods(user) || <span className="text-warn-ink">not set up yet</span>,
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
      className: "cards:absolute cards:top-2 cards:right-2",
      cell: (user) => <UserActions user={user} is_me={user.id === me.id} onAsk={(what) => setAsked({ what, user })} />,
    },
  ];
  return (
    <>
      <DataTable
        caption="Users"
        columns={columnsOf(columns, is_whole)}
        rows={users}
        file={null}
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
    <div className="min-w-0 text-left cards:pr-10">
      <span className="flex flex-wrap items-center gap-x-2">
        {name || email || "First administrator"}
        {me && <Badge>you</Badge>}
      </span>
      {name && email && <BeneathName>{email}</BeneathName>}
    </div>
  );
}

/** A user's ways to sign in, in words: "password, 2 passkeys, Okta". Empty when the user has none. */
function signInMethods({ has_password, passkeys, identities }: Pick<User, "has_password" | "passkeys" | "identities">) {
  const ways = [
    has_password ? "password" : "",
    passkeys === 0 ? "" : passkeys === 1 ? "passkey" : `${passkeys} passkeys`,
    ...identities,
  ];
  return ways.filter((way) => way !== "").join(", ");
}
