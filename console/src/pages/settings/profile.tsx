import { useState } from "react";
import { fieldError, messageOf } from "../../api/api-error.ts";
import { updateSession, useUser } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";

/** Name and e-mail. A new e-mail needs the password, where the user has one, because the e-mail signs in. */
export function Profile() {
  const user = useUser();
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email);
  const [current_password, setCurrentPassword] = useState("");
  const save = useChange("PATCH /me", ["GET /users"]);
  const asks_password = user.has_password && email !== user.email;
  const changed = name !== user.name || email !== user.email;
  const errors = {
    name: fieldError(save.error, "name"),
    email: fieldError(save.error, "email"),
    password: fieldError(save.error, "current_password"),
  };
  const submit = () => {
    const body = {
      ...(name === user.name ? {} : { name }),
      ...(email === user.email ? {} : { email: email.trim() }),
      ...(asks_password ? { current_password } : {}),
    };
    save.mutate(
      { body },
      {
        onSuccess: (saved) => {
          updateSession(saved);
          setCurrentPassword("");
          toast("Profile saved");
        },
      },
    );
  };
  return (
    <Card title="Profile">
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {save.error && !Object.values(errors).some(Boolean) && <Notice tone="danger">{messageOf(save.error)}</Notice>}
        <div className="grid gap-4 sm:grid-cols-2">
          <Input
            label="Name"
            autoComplete="name"
            maxLength={200}
            value={name}
            error={errors.name}
            onChange={(event) => setName(event.target.value)}
          />
          <Input
            label="E-mail"
            type="email"
            autoComplete="email"
            required
            help="What you sign in with."
            value={email}
            error={errors.email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </div>
        {asks_password && (
          <Input
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
            help="Required to change the e-mail."
            value={current_password}
            error={errors.password}
            onChange={(event) => setCurrentPassword(event.target.value)}
            className="sm:max-w-xs"
          />
        )}
        <Button type="submit" kind="primary" busy={save.isPending} disabled={!changed}>
          Save profile
        </Button>
      </form>
    </Card>
  );
}
