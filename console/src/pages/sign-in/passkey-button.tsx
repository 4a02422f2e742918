import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { signInWithPasskey } from "../../api/passkeys.ts";
import { Button } from "../../kit/button.tsx";
import { Notice } from "../../kit/states.tsx";
import { useEnter } from "./use-enter.ts";

export function PasskeyButton() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const enter = useEnter();
  const signIn = async () => {
    setBusy(true);
    setError(null);
    try {
      enter(await signInWithPasskey());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <>
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      <Button icon="passkey" busy={busy} onClick={() => void signIn()} className="w-full">
        Sign in with a passkey
      </Button>
    </>
  );
}
