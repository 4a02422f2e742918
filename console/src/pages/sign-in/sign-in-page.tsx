import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { LinkLook } from "../../../../contract/session.ts";
import { call } from "../../api/call.ts";
import { keepInvitation } from "../../api/pending-invitation.ts";
import { sessionQuery } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Contact, useContact } from "../../kit/contact.tsx";
import { formatAllDigits } from "../../kit/format.ts";
import { Spinner } from "../../kit/spinner.tsx";
import { ErrorState, Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { ForgotPassword } from "./forgot-password.tsx";
import { LinkForm } from "./link-form.tsx";
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

/** Signs in by a link that works once: immediately, or after a short form where the link needs one. */
function LinkSignIn({ token, onOtherWay }: { token: string; onOtherWay: () => void }) {
  const look = useQuery({
    queryKey: ["POST /session/link/look", token],
    queryFn: () => call("POST /session/link/look", { body: { token } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (look.data?.purpose === "invitation" && look.data.has_user)
    return <JoinSignIn token={token} look={look.data} onSignIn={onOtherWay} />;
  if (look.data?.purpose === "invitation" || look.data?.purpose === "password-reset")
    return <LinkForm token={token} look={look.data} onOtherWay={onOtherWay} />;
  if (look.data !== undefined) return <AtOnce token={token} onOtherWay={onOtherWay} />;
  return look.error ? <Refused error={look.error} onOtherWay={onOtherWay} /> : <Entering />;
}

function AtOnce({ token, onOtherWay }: { token: string; onOtherWay: () => void }) {
  const { mutate, error } = useChange("POST /session/link");
  const enter = useEnter();
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    mutate({ body: { token } }, { onSuccess: enter });
  });
  return error ? <Refused error={error} onOtherWay={onOtherWay} /> : <Entering />;
}

function Entering() {
  return (
    <SignInFrame title="Signing you in">
      <p role="status" className="flex items-center gap-2.5 text-ink-soft">
        <Spinner /> Loading …
      </p>
    </SignInFrame>
  );
}

function Refused({ error, onOtherWay }: { error: unknown; onOtherWay: () => void }) {
  return (
    <SignInFrame title="Sign in">
      <ErrorState error={error} title="This link does not work" />
      <Button kind="primary" onClick={onOtherWay} className="w-full">
        Sign in another way
      </Button>
    </SignInFrame>
  );
}

/** An invitation for somebody who has a user already: they sign in as ever, and then join the account. */
function JoinSignIn({ token, look, onSignIn }: { token: string; look: LinkLook; onSignIn: () => void }) {
  const session = useQuery(sessionQuery);
  const navigate = useNavigate();
  const go = () => {
    keepInvitation(token);
    if (session.data) void navigate({ to: "/", hash: "", replace: true });
    else onSignIn();
  };
  return (
    <SignInFrame
      title={`Join ${look.account?.name ?? "an account"}`}
      description={`${look.email ?? "You"}, you have a user here already: sign in as ever, and the account is added to yours.${look.credit_micro === null ? "" : ` The invitation brings it ${formatAllDigits(look.credit_micro, look.currency)} of credit.`}`}
    >
      <Button kind="primary" busy={session.isPending} onClick={go} className="w-full">
        {session.data ? "Continue" : "Sign in and join"}
      </Button>
    </SignInFrame>
  );
}
