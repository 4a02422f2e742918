import { useState } from "react";
import type { Invitation } from "../../../../contract/users.ts";
import { useApiPages, useChange } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { actionsColumn, type Column, DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { FilterBar, FilterText } from "../../kit/filter-bar.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { type PagesOf, Pagination } from "../../kit/pagination.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useCurrency } from "../../kit/use-currency.ts";
import { Money, Time } from "../../kit/values.tsx";

/** Invitations that nobody has accepted yet. Their links cannot be shown again; a new invitation replaces one. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const [{ q = "" }] = useUrlState("q");
  const query = { limit: "100", ...(q !== "" && { q: q.slice(0, 200) }) };
  const invitations = useApiPages("GET /invitations", { query });
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  const withdraw = useChange("DELETE /invitations/{invitation}", ["GET /invitations", "GET /audit-log"]);
  return (
    <Card flush>
      <Loaded query={invitations}>
        {() =>
          invitations.rows.length === 0 && q === "" ? (
            <EmptyState
              icon="users"
              title="No open invitations"
              action={
                <Button icon="plus" onClick={onInvite}>
                  Invite a user
                </Button>
              }
            >
              An invitation is a link that you send. It stays here until it is accepted, expires or is withdrawn.
            </EmptyState>
          ) : (
            <>
              {(q !== "" || invitations.hasNextPage || invitations.rows.length > FEW) && (
                <div className="px-5 pt-4">
                  <FilterBar names={["q"]}>
                    <FilterText name="q" label="Search invitations" />
                  </FilterBar>
                </div>
              )}
              <InvitationTable pages={invitations} onWithdraw={setWithdrawing} />
            </>
          )
        }
      </Loaded>
      <ConfirmDialog
        open={withdrawing !== null}
        onClose={() => setWithdrawing(null)}
        title={`Withdraw the invitation of ${withdrawing?.email}?`}
        action="Withdraw invitation"
        danger
        done="Invitation withdrawn"
        onConfirm={() => withdraw.mutateAsync({ path: { invitation: withdrawing?.id ?? "" } })}
      >
        Its link stops working at once. You can invite the same person again.
      </ConfirmDialog>
    </Card>
  );
}

/** The most invitations that need no search. */
const FEW = 10;

/** When an invitation expires, or that it has. */
export const INVITATION_EXPIRES: Column<Invitation> = {
  key: "expires",
  header: "Expires",
  cell: ({ expires_at }) =>
    Date.parse(expires_at) < Date.now() ? <Badge tone="warn">expired</Badge> : <Time at={expires_at} />,
};

function InvitationTable({
  pages,
  onWithdraw,
}: {
  pages: PagesOf<Invitation>;
  onWithdraw: (invitation: Invitation) => void;
}) {
  const currency = useCurrency();
  const { rows } = pages;
  const names = useNames(rows.flatMap(({ account, invited_by }) => [account ?? "", invited_by]));
  const emails = new Map([...names, ["admin-token", "the admin token"] as const]);
  const columns: readonly Column<Invitation>[] = [
    {
      key: "email",
      header: "E-mail",
      heading: true,
      cell: ({ email }) => <FittingName>{email}</FittingName>,
    },
    {
      key: "role",
      header: "Role",
      cell: ({ role }) => <Badge tone={role === "administrator" ? "accent" : "neutral"}>{role}</Badge>,
    },
    {
      key: "account",
      header: "Account",
      cell: ({ account, project }) =>
        account === null ? (
          <span className="text-ink-soft">their own</span>
        ) : (
          <span>
            <FittingName>{emails.get(account) ?? account}</FittingName>
            {project !== null && <span className="block text-[0.85rem] text-ink-soft">keys into {project.name}</span>}
          </span>
        ),
    },
    {
      key: "credit",
      header: "Credit",
      numeric: true,
      cell: ({ credit_micro }) =>
        credit_micro === null || currency === undefined ? (
          <span className="text-ink-soft">none</span>
        ) : (
          <Money micro={credit_micro} currency={currency} />
        ),
    },
    {
      key: "by",
      header: "Invited by",
      cell: ({ invited_by, created_at }) => (
        <span>
          <FittingName>{emails.get(invited_by) || invited_by}</FittingName>, <Time at={created_at} />
        </span>
      ),
    },
    INVITATION_EXPIRES,
    actionsColumn((invitation) => (
      <Button size="small" onClick={() => onWithdraw(invitation)}>
        Withdraw
      </Button>
    )),
  ];
  if (rows.length === 0) return <NoInvitationFound />;
  return (
    <DataTable
      caption="Invitations"
      columns={columns}
      rows={rows}
      file={fileOfPages("invitations", pages)}
      rowKey={({ id }) => id}
      footer={<Pagination pages={pages} noun={rows.length === 1 ? "invitation" : "invitations"} />}
    />
  );
}

export function NoInvitationFound() {
  return (
    <EmptyState icon="search" title="No invitation matches">
      No open invitation is for an e-mail that contains this.
    </EmptyState>
  );
}
