import { useQuery } from "@tanstack/react-query";
import type { Session } from "../../../../contract/session.ts";
import { apiQuery } from "../../api/use-api.ts";
import { OidcButtons } from "./oidc-buttons.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { PasswordForm } from "./password-form.tsx";

interface Props {
  /** Whom it is for, where that is known. */
  readonly email?: string;
  /** The page to which a company's sign-in leads, below /console. */
  readonly path: string;
  /** Whether the page must stay: a company's sign-in opens a tab of its own. */
  readonly stays?: boolean;
  readonly onEnter: (session: Session) => void;
}

/** Every way to sign in that this gateway and this browser have: password, passkey, companies' sign-ins. */
export function WaysIn({ email, path, stays = false, onEnter }: Props) {
  const methods = useQuery(apiQuery("GET /session/methods", {}));
  const { passkeys = false, oidc = [] } = methods.data ?? {};
  const with_passkeys = passkeys && "PublicKeyCredential" in window;
  return (
    <>
      <PasswordForm {...(email === undefined ? {} : { email })} onEnter={onEnter} />
      {(with_passkeys || oidc.length > 0) && (
        <>
          <div className="flex items-center gap-3 text-[0.85rem] text-ink-soft">
            <span className="h-px flex-1 bg-line" />
            or
            <span className="h-px flex-1 bg-line" />
          </div>
          <div className="space-y-2">
            {with_passkeys && <PasskeyButton onEnter={onEnter} />}
            <OidcButtons providers={oidc} path={path} own_tab={stays} />
          </div>
        </>
      )}
    </>
  );
}
