import { useState } from "react";
import { fieldError, messageOf } from "../../api/api-error.ts";
import { updateSession, useUser } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { MIN_PASSWORD } from "./min-password.ts";

/** Sets or changes the password. */
export function PasswordCard() {
  const user = useUser();
  const [current_password, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const save = useChange("PATCH /me", ["GET /me/sessions"]);
  const errors = { current: fieldError(save.error, "current_password"), next: fieldError(save.error, "password") };
  const submit = () => {
    const body = { password, ...(user.has_password ? { current_password } : {}) };
    save.mutate(
      { body },
      {
        onSuccess: (saved) => {
          updateSession(saved);
          setCurrent("");
          setPassword("");
          toast("Password saved");
        },
      },
    );
  };
  return (
    <Card
      title="Password"
      description={
        user.has_password
          ? "You need the current one to change it."
          : "You have none yet. Set one to sign in with e-mail and password."
      }
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {save.error && !errors.current && !errors.next && <Notice tone="danger">{messageOf(save.error)}</Notice>}
        {/* Tells password managers which user the password belongs to. */}
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <div className="grid gap-4 sm:grid-cols-2">
          {user.has_password && (
            <Input
              label="Current password"
              type="password"
              autoComplete="current-password"
              required
              value={current_password}
              error={errors.current}
              onChange={(event) => setCurrent(event.target.value)}
            />
          )}
          <Input
            label="New password"
            type="password"
            autoComplete="new-password"
            required
            minLength={MIN_PASSWORD}
            help={`At least ${MIN_PASSWORD} characters.`}
            value={password}
            error={errors.next}
            onChange={(event) => setPassword(event.target.value)}
          />
        </div>
        <Button type="submit" kind="primary" busy={save.isPending} disabled={password === ""}>
          {user.has_password ? "Change password" : "Set password"}
        </Button>
      </form>
    </Card>
  );
}
