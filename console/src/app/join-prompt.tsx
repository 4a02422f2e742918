import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ROLE_NOUNS, ROLE_WORDS } from "../../../contract/permissions.ts";
import { messageOf } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { forgetInvitation, pendingInvitation } from "../api/pending-invitation.ts";
import { updateSession, useUser } from "../api/session.ts";
import { useChange } from "../api/use-api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog, DialogActions } from "../kit/dialog.tsx";
import { Notice } from "../kit/states.tsx";
import { toast } from "../kit/toast.tsx";
import { useUrlState } from "../kit/url-state.ts";

/** Asks a user who came by an invitation, and has signed in, whether to join the account that it is for. */
export function JoinPrompt() {
  const [token, setToken] = useState(pendingInvitation);
  const close = () => {
    forgetInvitation();
    setToken(null);
  };
  return token === null ? null : <Prompt token={token} onClose={close} />;
}

function Prompt({ token, onClose }: { token: string; onClose: () => void }) {
  const user = useUser();
  const [, setSearch] = useUrlState("account");
  const look = useQuery({
    queryKey: ["POST /session/link/look", token],
    queryFn: () => call("POST /session/link/look", { body: { token } }),
    retry: false,
  });
  const join = useChange("POST /me/accounts");
  const { account = null, email = null } = look.data ?? {};
  const is_for_other = email !== null && email.toLowerCase() !== user.email.toLowerCase();
  const problem = look.error ?? join.error;
  const role = account?.role ?? null;
  const accept = () =>
    join.mutate(
      { body: { token } },
      {
        onSuccess: ({ joined, ...session }) => {
          updateSession(session);
          if (joined !== null) setSearch({ account: joined });
          toast(`You belong to ${account?.name ?? "the account"} now`);
          onClose();
        },
      },
    );
  return (
    <Dialog open onClose={onClose} title={account === null ? "An invitation" : `Join ${account.name}?`}>
      {problem !== null && <Notice tone="danger">{messageOf(problem)}</Notice>}
      {look.isPending && <p className="text-ink-soft">Loading …</p>}
      {account !== null && is_for_other && (
        <p>
          This invitation is for {email}, and you are signed in as {user.email}. Sign out, and open the link again.
        </p>
      )}
      {account !== null && !is_for_other && (
        <p>
          You are invited{role === null ? "" : ` as ${ROLE_NOUNS[role]}, who ${ROLE_WORDS[role]}`}. You keep your other
          accounts; switch between them above the navigation.
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>Not now</Button>
        <Button
          kind="primary"
          busy={join.isPending}
          disabled={account === null || is_for_other || problem !== null}
          onClick={accept}
        >
          Join the account
        </Button>
      </DialogActions>
    </Dialog>
  );
}
