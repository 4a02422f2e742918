import type { Invitation } from "../../../../contract/users.ts";
import { useApiPages, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { actionsColumn, type Column, DataTable } from "../../kit/data-table.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { FilterBar, FilterText } from "../../kit/filter-bar.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { toast, toastError } from "../../kit/toast.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { INVITATION_EXPIRES, NoInvitationFound } from "../admin-users/invitations.tsx";
import { projectColumn } from "./project-column.tsx";

/** The invitations to an account that are not accepted yet; renders nothing without any. */
export function OpenInvitations({ account }: { account: string }) {
  const [{ invited = "" }] = useUrlState("invited");
  const query = { account, limit: "50", ...(invited !== "" && { q: invited.slice(0, 200) }) };
  const invitations = useApiPages("GET /invitations", { query });
  const withdraw = useChange("DELETE /invitations/{invitation}", ["GET /invitations"]);
  const open = invitations.rows;
  if (open.length === 0 && invited === "") return null;
  const columns: readonly Column<Invitation>[] = [
    { key: "email", header: "E-mail", heading: true, cell: ({ email }) => <FittingName>{email}</FittingName> },
    { key: "role", header: "Role", cell: ({ account_role }) => <Badge>{account_role ?? "member"}</Badge> },
    projectColumn(),
    INVITATION_EXPIRES,
    actionsColumn(({ id, email }) => (
      <Button
        size="small"
        busy={withdraw.isPending && withdraw.variables.path.invitation === id}
        onClick={() =>
          withdraw.mutate(
            { path: { invitation: id } },
            { onSuccess: () => toast(`The invitation of ${email} is withdrawn`), onError: toastError },
          )
        }
      >
        Withdraw
      </Button>
    )),
  ];
  return (
    <Card title="Open invitations" flush>
      {(invited !== "" || invitations.hasNextPage) && (
        <div className="px-5 pt-4">
          <FilterBar names={["invited"]} label="Find invitations">
            <FilterText name="invited" label="Search invitations" />
          </FilterBar>
        </div>
      )}
      {open.length === 0 ? (
        <NoInvitationFound />
      ) : (
        <DataTable
          caption="Open invitations"
          columns={columns}
          rows={open}
          file={fileOfPages("open-invitations", invitations)}
          rowKey={({ id }) => id}
          footer={<Pagination pages={invitations} noun={open.length === 1 ? "invitation" : "invitations"} />}
        />
      )}
    </Card>
  );
}
