import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { apiQuery } from "../../api/use-api.ts";
import { Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { failureText } from "./oidc-failures.ts";
import { LinkSignIn } from "./link-sign-in.tsx";
import { OidcButtons } from "./oidc-buttons.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** The sign-in page: by password, passkey, provider, or a link that works once (its token is behind the `#`). */
export function SignInPage() {
  const [token, setToken] = useState(tokenInAddress);
  // A link that is pasted into a tab with this page changes what is behind the `#` only, and loads nothing.
  useEffect(() => {
    const read = () => setToken(tokenInAddress());
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  if (token !== null) return <LinkSignIn key={token} token={token} onOtherWay={() => setToken(null)} />;
  return <SignInForm />;
}

function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}

function SignInForm() {
  const [{ error }] = useUrlState("error");
  const methods = useQuery(apiQuery("GET /session/methods", {}));
  const { passkeys = false, oidc = [] } = methods.data ?? {};
  const with_passkeys = passkeys && "PublicKeyCredential" in window;
  return (
    <SignInFrame title="Sign in">
      <div className="space-y-4">
        {error !== undefined && <Notice tone="danger">{failureText(error)}</Notice>}
        <PasswordForm />
        {(with_passkeys || oidc.length > 0) && (
          <>
            <div className="flex items-center gap-3 text-[0.85rem] text-ink-soft">
              <span className="h-px flex-1 bg-line" />
              or
              <span className="h-px flex-1 bg-line" />
            </div>
            <div className="space-y-2">
              {with_passkeys && <PasskeyButton />}
              <OidcButtons providers={oidc} />
            </div>
          </>
        )}
        <p className="text-[0.88rem] text-ink-soft">
          No way in yet? An administrator can send you an invitation. The very first one comes in by the link that{" "}
          <code className="font-mono text-[0.82rem]">camino serve</code> prints.
        </p>
      </div>
    </SignInFrame>
  );
}
