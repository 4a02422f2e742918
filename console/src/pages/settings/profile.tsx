import { updateSession, useUser } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import { useTexts } from "../../kit/use-texts.ts";

/** Name and e-mail. A new e-mail needs the password, where the user has one, because the e-mail signs in. */
export function Profile() {
  const user = useUser();
  const save = useChange("PATCH /me", ["GET /users"]);
  const fields = useTexts({ name: user.name, email: user.email, current_password: "" }, save.error);
  const { texts, field } = fields;
  const { name, email, current_password } = texts;
  const asks_password = user.has_password && email !== user.email;
  const changed = name !== user.name || email !== user.email;
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
          fields.set({ current_password: "" });
          toast("Profile saved");
        },
      },
    );
  };
  return (
    <Card title="Profile">
      <Form error={fields.other_error} onSubmit={submit}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Input label="Name" autoComplete="name" maxLength={200} {...field("name")} />
          <Input
            label="E-mail"
            type="email"
            autoComplete="email"
            required
            help="What you sign in with."
            {...field("email")}
          />
        </div>
        {asks_password && (
          <Input
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
            help="Required to change the e-mail."
            {...field("current_password")}
            className="sm:max-w-xs"
          />
        )}
        <Button type="submit" kind="primary" busy={save.isPending} disabled={!changed}>
          Save profile
        </Button>
      </Form>
    </Card>
  );
}
