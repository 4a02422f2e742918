import type { Account } from "../../../../contract/accounts.ts";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../kit/dialog.tsx";

const STALE = ["GET /accounts", "GET /overview", "GET /overview/live", "GET /audit-log"] as const;

/** Asks before an account's keys stop working, or work again. */
export function StatusDialog({ account, open, onClose }: { account: Account; open: boolean; onClose: () => void }) {
  const disable = useChange("POST /accounts/{account}/disable", STALE);
  const enable = useChange("POST /accounts/{account}/enable", STALE);
  const path = { account: account.id };
  if (account.status === "disabled")
    return (
      <ConfirmDialog
        open={open}
        onClose={onClose}
        title={`Enable ${account.email}?`}
        action="Enable account"
        done="Account enabled"
        onConfirm={() => enable.mutateAsync({ path })}
      >
        Its keys work again at once, except those that are disabled or revoked.
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Disable ${account.email}?`}
      action="Disable account"
      danger
      done="Account disabled"
      onConfirm={() => disable.mutateAsync({ path })}
    >
      New requests with its keys are refused at once. Running requests finish and are charged. The balance, keys and
      history are kept, and you can enable it again.
    </ConfirmDialog>
  );
}
