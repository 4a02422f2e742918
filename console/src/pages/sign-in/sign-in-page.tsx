import { useEffect, useState } from "react";
import { Contact, useContact } from "../../kit/contact.tsx";
import { Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { ForgotPassword } from "./forgot-password.tsx";
import { LinkSignIn } from "./link-sign-in.tsx";
import { failureText } from "./oidc-failures.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useEnter, useReturnPath } from "./use-enter.ts";
import { WaysIn } from "./ways-in.tsx";

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
  const enter = useEnter();
  const path = useReturnPath();
  const contact = useContact();
  return (
    <SignInFrame title="Sign in">
      <div className="space-y-4">
        {error !== undefined && <Notice tone="danger">{failureText(error)}</Notice>}
        <WaysIn path={path} onEnter={enter} />
        <ForgotPassword />
        <p className="text-[0.88rem] text-ink-soft">
          No account?{" "}
          {contact === null ? (
            "Ask an administrator for an invitation."
          ) : (
            <>
              Ask <Contact words={contact} /> for an invitation.
            </>
          )}{" "}
          Setting up? Use the link printed at startup.
        </p>
      </div>
    </SignInFrame>
  );
}
