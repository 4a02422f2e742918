import { useNavigate } from "@tanstack/react-router";
import type { SessionUser } from "../../../../contract/session.ts";
import { updateSession } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { toast } from "../../kit/toast.tsx";

/** Asks a member for confirmation before they leave an account. */
export function LeaveDialog({
  account,
  open,
  onClose,
}: {
  account: SessionUser["accounts"][number];
  open: boolean;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const leave = useChange("DELETE /me/accounts/{account}");
  const name = account.name || account.email;
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Leave ${name}?`}
      action="Leave the account"
      danger
      onConfirm={async () => {
        const { joined: _joined, ...session } = await leave.mutateAsync({ path: { account: account.id } });
        updateSession(session);
        toast(`You left ${name}`);
        await navigate({ to: "/", search: { account: undefined } });
      }}
    >
      You lose access at once. Keys that you created stay with the account and keep working. To come back, you need an
      invitation.
    </ConfirmDialog>
  );
}
