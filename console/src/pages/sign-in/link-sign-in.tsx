import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../api/call.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { ErrorState } from "../../kit/states.tsx";
import { JoinSignIn } from "./join-sign-in.tsx";
import { LinkForm } from "./link-form.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useEnter } from "./use-enter.ts";

/** Signs in by a link that works once: immediately, or after a short form where the link needs one. */
export function LinkSignIn({ token, onOtherWay }: { token: string; onOtherWay: () => void }) {
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
