import { ROLE_NOUNS } from "../../../../contract/permissions.ts";
import type { LinkLook } from "../../../../contract/session.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Form } from "../../kit/form.tsx";
import { formatAllDigits } from "../../kit/format.ts";
import { Input } from "../../kit/input.tsx";
import { useTexts } from "../../kit/use-texts.ts";
import { MIN_PASSWORD } from "../settings/min-password.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useEnter } from "./use-enter.ts";

/** The invitation: the e-mail, the account, and the credit that it brings. */
function invitationWords(look: LinkLook): string {
  const { credit_micro, currency } = look;
  return `${roleWords(look)}${credit_micro === null ? "" : ` It brings ${formatAllDigits(credit_micro, currency)} of credit.`}`;
}

function roleWords({ role, account }: LinkLook): string {
  if (role === "administrator") return "You are invited as an administrator.";
  if (account === null) return "You are invited to your own account.";
  const into = account.project === null ? "" : ` Your default project is ${account.project}.`;
  return `You are invited to ${account.name}${account.role === null ? "" : ` as ${ROLE_NOUNS[account.role]}`}.${into}`;
}

/** The form that an invitation or a reset shows before it signs in. */
export function LinkForm({ token, look, onOtherWay }: { token: string; look: LinkLook; onOtherWay: () => void }) {
  const signIn = useChange("POST /session/link");
  const enter = useEnter();
  const invited = look.purpose === "invitation";
  const { texts, field, other_error } = useTexts({ name: "", password: "" }, signIn.error);
  const { name, password } = texts;
  return (
    <SignInFrame
      title={invited ? "Welcome to Camino" : "Choose a new password"}
      description={invited ? invitationWords(look) : undefined}
    >
      <Form
        error={other_error}
        onSubmit={() => {
          const body = { token, ...(invited && name !== "" ? { name } : {}), ...(password === "" ? {} : { password }) };
          signIn.mutate({ body }, { onSuccess: enter });
        }}
      >
        {look.email !== null && (
          <Input label="E-mail" type="email" autoComplete="username" value={look.email} readOnly />
        )}
        {invited && <Input label="Your name" autoComplete="name" optional {...field("name")} />}
        <Input
          label="Password"
          type="password"
          autoComplete="new-password"
          optional={invited}
          required={!invited}
          minLength={MIN_PASSWORD}
          help={`At least ${MIN_PASSWORD} characters.${invited ? " Leave it empty to set up a passkey next." : ""}`}
          {...field("password")}
        />
        <Button type="submit" kind="primary" busy={signIn.isPending} className="w-full">
          {invited ? "Accept and sign in" : "Save and sign in"}
        </Button>
        <Button kind="quiet" onClick={onOtherWay} className="w-full">
          Sign in another way
        </Button>
      </Form>
    </SignInFrame>
  );
}
