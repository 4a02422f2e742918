import { useLocation } from "@tanstack/react-router";
import { rereadSession, updateSession, useUser } from "../api/session.ts";
import { useChange } from "../api/use-api.ts";
import { Button, LinkButton } from "../kit/button.tsx";
import { Card } from "../kit/card.tsx";
import { Form } from "../kit/form.tsx";
import { Input } from "../kit/input.tsx";
import { TextLink } from "../kit/row-link.tsx";
import { Notice } from "../kit/states.tsx";
import { toast } from "../kit/toast.tsx";
import { useTexts } from "../kit/use-texts.ts";
import { MIN_PASSWORD } from "../pages/settings/min-password.ts";

/** The e-mail that the first administrator has until they say their own; no mail reaches it. */
const NOBODYS = "admin@camino.local";

/**
 * Asks a user who signed in by a link to set up a way to sign in again, as long as they have none: on the overview by all that it takes,
 * elsewhere by a line that leads there.
 */
export function SetUpCard() {
  const { has_password, passkeys, identities } = useUser();
  const path = useLocation({ select: ({ pathname }) => pathname });
  if (has_password || passkeys > 0 || identities.length > 0 || path === "/settings") return null;
  return (
    <div className="mb-5">
      {path === "/" ? (
        <SignInForm />
      ) : (
        <Notice tone="warn">
          Your sign-in link works once. <TextLink to="/">Set up your sign-in</TextLink> to be able to come back.
        </Notice>
      )}
    </div>
  );
}

/** E-mail and password, which are set together: a password alone would leave nobody knowing what e-mail goes with it. */
function SignInForm() {
  const user = useUser();
  const save = useChange("PATCH /me", ["GET /users", "GET /me/sessions"]);
  const rename = useChange("PATCH /accounts/{account}", ["GET /accounts", "GET /overview", "GET /names"]);
  const known = user.email === NOBODYS ? "" : user.email;
  const { texts, field, other_error } = useTexts({ email: known, password: "" }, save.error);
  const submit = async () => {
    const { password } = texts;
    const own = texts.email.trim();
    updateSession(await save.mutateAsync({ body: { password, ...(own === user.email ? {} : { email: own }) } }));
    toast("Sign-in saved");
    const account = user.accounts.find((each) => each.email === NOBODYS);
    if (account === undefined) return;
    await rename.mutateAsync({ path: { account: account.id }, body: { email: own } });
    rereadSession();
  };
  return (
    <Card
      title="Set up your sign-in"
      description="Your link works once. Next time, sign in with this e-mail and password."
      className="border-accent"
    >
      <Form error={other_error} onSubmit={() => void submit().catch(() => undefined)}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Input label="Your e-mail" type="email" autoComplete="username" required {...field("email")} />
          <Input
            label="Your password"
            type="password"
            autoComplete="new-password"
            required
            minLength={MIN_PASSWORD}
            help={`At least ${MIN_PASSWORD} characters.`}
            {...field("password")}
          />
        </div>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save sign-in
          </Button>
          <LinkButton kind="quiet" to="/settings">
            Use a passkey instead
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
