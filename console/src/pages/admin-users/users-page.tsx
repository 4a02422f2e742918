import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Tabs } from "../../kit/tabs.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Count } from "../../kit/values.tsx";
import { ManagementKeys } from "../team/management-keys.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { Users } from "./users.tsx";

/** The console's users, and the open invitations. */
export function UsersPage() {
  const [{ tab = "users" }, setSearch] = useUrlState("tab", "q");
  const [inviting, setInviting] = useState(false);
  const invite = () => setInviting(true);
  useShortcuts([{ keys: "n", label: "Invite a user", run: invite }]);
  const invitations = useApi("GET /invitations", { query: { limit: "100" } }).data;
  return (
    <>
      <PageHeader
        title="Users"
        guide="operations#programs-that-administer"
        description="The people who sign in to this console. Members see their accounts, administrators see everything."
        actions={
          <Button kind="primary" icon="plus" onClick={invite}>
            Invite a user
          </Button>
        }
      />
      <Tabs
        label="Users and invitations"
        value={tab === "invitations" || tab === "keys" ? tab : "users"}
        onChange={(id) => setSearch({ tab: id === "users" ? undefined : id, q: undefined })}
        tabs={[
          {
            id: "users",
            label: "Users",
            content: <Users />,
          },
          {
            id: "invitations",
            label: (
              <Counted label="Invitations" count={invitations?.data.length} more={invitations?.has_more === true} />
            ),
            content: <Invitations onInvite={invite} />,
          },
          { id: "keys", label: "Management keys", content: <ManagementKeys /> },
        ]}
      />
      <InviteDialog open={inviting} onClose={() => setInviting(false)} />
    </>
  );
}

/** A tab's name with how many there are; `more`: more than that. */
function Counted({ label, count, more }: { label: string; count: number | undefined; more: boolean }) {
  return (
    <span className="flex items-center gap-2">
      {label}
      {count !== undefined && count > 0 && (
        <span className="rounded-full bg-sunken px-1.5 text-[0.8rem] text-ink-soft">
          <Count count={count} />
          {more && "+"}
        </span>
      )}
    </span>
  );
}
