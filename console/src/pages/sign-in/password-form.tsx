import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { useEnter } from "./use-enter.ts";

export function PasswordForm() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useChange("POST /session/password");
  const enter = useEnter();
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ body: { email: email.trim(), password } }, { onSuccess: enter });
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
