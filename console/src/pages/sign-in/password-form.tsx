import { useState } from "react";
import type { Session } from "../../../../contract/session.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";

/** `email`: whom the form is for, where that is known. */
export function PasswordForm({ email: known = "", onEnter }: { email?: string; onEnter: (session: Session) => void }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const signIn = useChange("POST /session/password");
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ body: { email: email.trim(), password } }, { onSuccess: onEnter });
      }}
    >
      {signIn.error && <Notice tone="danger">{messageOf(signIn.error)}</Notice>}
      <Input
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username webauthn"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Input
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" kind="primary" busy={signIn.isPending} className="w-full">
        Sign in
      </Button>
    </form>
  );
}
