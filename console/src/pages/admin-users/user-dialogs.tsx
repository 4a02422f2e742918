import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SignInLink, User } from "../../../../contract/users.ts";
import { apiQuery, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog, Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { OneTimeLink } from "../admin-parts/one-time-link.tsx";
import type { UserAction } from "./user-actions.tsx";

export interface OpenUserDialog {
  readonly what: UserAction;
  readonly user: User;
}

/** Asks for confirmation before a user gets or loses rights, or before a link that signs in as the user is made. */
export function UserDialogs({ asked, onClose }: { asked: OpenUserDialog | null; onClose: () => void }) {
  const update = useChange("PATCH /users/{user}", ["GET /users", "GET /audit-log"]);
  const reset = useChange("POST /users/{user}/password-reset", ["GET /audit-log"]);
  const sends_mail = useQuery(apiQuery("GET /session/methods", {})).data?.mail === true;
  const [mail, setMail] = useState(false);
  const [link, setLink] = useState<SignInLink | null>(null);
  const user = asked?.user;
  const path = { user: user?.id ?? "" };
  const name = user?.email || "the first administrator";
  const promoted = user?.role === "member";
  const disabled = user?.status === "disabled";
  return (
    <>
      <ConfirmDialog
        open={asked?.what === "role"}
        onClose={onClose}
        title={promoted ? `Make ${name} an administrator?` : `Make ${name} a member?`}
        action={promoted ? "Make an administrator" : "Make a member"}
        done={promoted ? "Now an administrator" : "Now a member"}
        onConfirm={() => update.mutateAsync({ path, body: { role: promoted ? "administrator" : "member" } })}
      >
        {promoted
          ? "They can see and change every account, key and vendor credential."
          : "They can see only their own accounts, and nothing under “Gateway”."}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked?.what === "status"}
        onClose={onClose}
        title={disabled ? `Enable ${name}?` : `Disable ${name}?`}
        action={disabled ? "Enable user" : "Disable user"}
        danger={!disabled}
        done={disabled ? "User enabled" : "User disabled"}
        onConfirm={() => update.mutateAsync({ path, body: { status: disabled ? "active" : "disabled" } })}
      >
        {disabled
          ? "They can sign in again."
          : "They are signed out everywhere and cannot sign in. Their account's keys keep working; to stop those, disable the account."}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked?.what === "reset" && link === null}
        onClose={() => {
          setMail(false);
          onClose();
        }}
        title={`Create password-reset link for ${name}?`}
        action="Create link"
        onConfirm={async () => setLink(await reset.mutateAsync({ path, body: { mail } }))}
      >
        Anyone with the link can sign in as {name} and choose a new password. Earlier links stop working.
        {sends_mail && (
          <div className="mt-3">
            <Checkbox label={`Mail it to ${name}`} checked={mail} onChange={setMail} />
          </div>
        )}
      </ConfirmDialog>
      <Dialog open={link !== null} onClose={() => setLink(null)} title="The password-reset link" insist>
        {link !== null && (
          <>
            <OneTimeLink link={link.link} expires_at={link.expires_at}>
              {link.mailed ? `A mail to ${link.email} brings this link.` : `Send it to ${link.email} privately.`}
            </OneTimeLink>
            <DialogActions>
              <Button kind="primary" onClick={() => setLink(null)}>
                Done
              </Button>
            </DialogActions>
          </>
        )}
      </Dialog>
    </>
  );
}
