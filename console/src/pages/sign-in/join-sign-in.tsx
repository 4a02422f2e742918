import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { LinkLook } from "../../../../contract/session.ts";
import { keepInvitation } from "../../api/pending-invitation.ts";
import { sessionQuery } from "../../api/session.ts";
import { Button } from "../../kit/button.tsx";
import { formatAllDigits } from "../../kit/format.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** An invitation for somebody who has a user already: they sign in as ever, and then join the account. */
export function JoinSignIn({ token, look, onSignIn }: { token: string; look: LinkLook; onSignIn: () => void }) {
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
