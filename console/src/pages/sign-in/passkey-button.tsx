import { useState } from "react";
import type { Session } from "../../../../contract/session.ts";
import { messageOf } from "../../api/api-error.ts";
import { signInWithPasskey } from "../../api/passkeys.ts";
import { Button } from "../../kit/button.tsx";
import { Notice } from "../../kit/states.tsx";

export function PasskeyButton({ onEnter }: { onEnter: (session: Session) => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const signIn = async () => {
    setBusy(true);
    setError(null);
    try {
      onEnter(await signInWithPasskey());
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
