import type { Invitation } from "../../../../contract/users.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { toast, toastError } from "../../kit/toast.tsx";
import { Time } from "../../kit/values.tsx";

/** The invitations to an account that nobody has accepted yet; nothing where there are none. */
export function OpenInvitations({ account }: { account: string }) {
  const invitations = useApi("GET /invitations", { query: { account } });
  const withdraw = useChange("DELETE /invitations/{invitation}", ["GET /invitations"]);
  const open = invitations.data?.data ?? [];
  if (open.length === 0) return null;
  const columns: readonly Column<Invitation>[] = [
    { key: "email", header: "E-mail", heading: true, cell: ({ email }) => <span className="break-all">{email}</span> },
    { key: "role", header: "Role", cell: ({ account_role }) => <Badge>{account_role ?? "member"}</Badge> },
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
      cell: ({ id, email }) => (
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
      ),
    },
  ];
  return (
    <Card title="Open invitations" flush>
      <DataTable caption="Open invitations" columns={columns} rows={open} rowKey={({ id }) => id} />
    </Card>
  );
}
