import { updateSession, useUser } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import { useTexts } from "../../kit/use-texts.ts";
import { MIN_PASSWORD } from "./min-password.ts";

/** Sets or changes the password. */
export function PasswordCard() {
  const user = useUser();
  const save = useChange("PATCH /me", ["GET /me/sessions"]);
  const { texts, set, field, other_error } = useTexts({ current_password: "", password: "" }, save.error);
  const submit = () => {
    const { password, current_password } = texts;
    const body = { password, ...(user.has_password ? { current_password } : {}) };
    save.mutate(
      { body },
      {
        onSuccess: (saved) => {
          updateSession(saved);
          set({ current_password: "", password: "" });
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
      <Form error={other_error} onSubmit={submit}>
        {/* Tells password managers which user the password belongs to. */}
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <div className="grid gap-4 sm:grid-cols-2">
          {user.has_password && (
            <Input
              label="Current password"
              type="password"
              autoComplete="current-password"
              required
              {...field("current_password")}
            />
          )}
          <Input
            label="New password"
            type="password"
            autoComplete="new-password"
            required
            minLength={MIN_PASSWORD}
            help={`At least ${MIN_PASSWORD} characters.`}
            {...field("password")}
          />
        </div>
        <Button type="submit" kind="primary" busy={save.isPending} disabled={texts.password === ""}>
          {user.has_password ? "Change password" : "Set password"}
        </Button>
      </Form>
    </Card>
  );
}
