import { useUser } from "../api/session.ts";
import { TextLink } from "../kit/row-link.tsx";
import { Notice } from "../kit/states.tsx";

/** Asks a user who signed in by a link to set up a way to sign in again, as long as they have none. */
export function SetUpBanner() {
  const { has_password, passkeys, identities } = useUser();
  if (has_password || passkeys > 0 || identities.length > 0) return null;
  return (
    <div className="mb-5">
      <Notice tone="warn">
        Welcome! You came in by a link that works once. <TextLink to="/settings">Set up your sign-in</TextLink> with an
        e-mail and a password, or a passkey, so that you can come back.
      </Notice>
    </div>
  );
}
