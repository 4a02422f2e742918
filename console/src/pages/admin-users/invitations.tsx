import { useState } from "react";
import type { Invitation } from "../../../../contract/users.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useCurrency } from "../../kit/use-currency.ts";
import { Money, Time } from "../../kit/values.tsx";

/** Invitations that nobody has accepted yet. Their links cannot be shown again; a new invitation replaces one. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const invitations = useApi("GET /invitations", {});
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  const withdraw = useChange("DELETE /invitations/{invitation}", ["GET /invitations", "GET /audit-log"]);
  return (
    <Card flush>
      <Loaded query={invitations}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon="users"
              title="No open invitations"
              action={
                <Button icon="plus" onClick={onInvite}>
                  Invite a user
                </Button>
              }
            >
              An invitation is a link that you hand on. It waits here until it is accepted, expires or is withdrawn.
            </EmptyState>
          ) : (
            <InvitationTable invitations={data} onWithdraw={setWithdrawing} />
          )
        }
      </Loaded>
      <ConfirmDialog
        open={withdrawing !== null}
        onClose={() => setWithdrawing(null)}
        title={`Withdraw the invitation of ${withdrawing?.email}?`}
        action="Withdraw invitation"
        danger
        onConfirm={async () => {
          await withdraw.mutateAsync({ path: { invitation: withdrawing?.id ?? "" } });
          toast("Invitation withdrawn");
        }}
      >
        Its link stops working at once. You can invite the same person again.
      </ConfirmDialog>
    </Card>
  );
}

function InvitationTable({
  invitations,
  onWithdraw,
}: {
  invitations: readonly Invitation[];
  onWithdraw: (invitation: Invitation) => void;
}) {
  const currency = useCurrency();
  const names = useNames(invitations.flatMap(({ account, invited_by }) => [account ?? "", invited_by]));
  const emails = new Map([...names, ["admin-token", "the admin token"] as const]);
  const columns: readonly Column<Invitation>[] = [
    { key: "email", header: "E-mail", heading: true, cell: ({ email }) => <span className="break-all">{email}</span> },
    {
      key: "role",
      header: "Role",
      cell: ({ role }) => <Badge tone={role === "administrator" ? "accent" : "neutral"}>{role}</Badge>,
    },
    {
      key: "account",
      header: "Account",
      cell: ({ account }) =>
        account === null ? (
          <span className="text-ink-soft">one of their own</span>
        ) : (
          <span className="break-all">{emails.get(account) ?? account}</span>
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
          <span className="break-all">{emails.get(invited_by) || invited_by}</span>, <Time at={created_at} />
        </span>
      ),
    },
    {
      key: "expires",
      header: "Expires",
      cell: ({ expires_at }) =>
        Date.parse(expires_at) < Date.now() ? <Badge tone="warn">expired</Badge> : <Time at={expires_at} />,
    },
    {
      key: "actions",
      header: "Actions",
      hide_header: true,
      numeric: true,
      cell: (invitation) => (
        <Button size="small" onClick={() => onWithdraw(invitation)}>
          Withdraw
        </Button>
      ),
    },
  ];
  return <DataTable caption="Invitations" columns={columns} rows={invitations} rowKey={({ id }) => id} />;
}
