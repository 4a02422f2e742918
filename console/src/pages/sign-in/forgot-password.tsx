import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Contact, useContact } from "../../kit/contact.tsx";
import { Form } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";

/** What somebody does who has forgotten their password: they ask for a link by mail, or, where the gateway sends none, an administrator for one. */
export function ForgotPassword() {
  const methods = useQuery({ ...apiQuery("GET /session/methods", {}), staleTime: Number.POSITIVE_INFINITY });
  return (
    <details className="text-[0.88rem] text-ink-soft">
      <summary className="rounded-sm font-medium text-accent-ink">Forgot password?</summary>
      {methods.data?.mail === true ? <AskByMail /> : <AskAnAdministrator />}
    </details>
  );
}

function AskAnAdministrator() {
  const contact = useContact();
  return (
    <p className="mt-1.5">
      Ask {contact === null ? "an administrator" : <Contact words={contact} />} for a password-reset link. If no
      administrator can sign in, run <code className="font-mono text-ink">camino sign-in-link</code> on the gateway's
      machine.
    </p>
  );
}

/** Says the same whether or not there is such a user. */
function AskByMail() {
  const [email, setEmail] = useState("");
  const ask = useChange("POST /session/password-reset");
  if (ask.isSuccess)
    return (
      <p role="status" className="mt-1.5">
        If <span className="font-medium break-words text-ink">{email.trim()}</span> has a user with a password here, a
        link to set a new one is on its way. It works once, within an hour. Nothing after a few minutes? Look among junk
        mail, or ask an administrator.
      </p>
    );
  return (
    <Form className="mt-2 space-y-3" error={ask.error} onSubmit={() => ask.mutate({ body: { email: email.trim() } })}>
      <Input
        label="Your e-mail"
        type="email"
        name="reset-email"
        autoComplete="email"
        required
        value={email}
        onChange={setEmail}
      />
      <Button type="submit" busy={ask.isPending} className="w-full">
        Send a link
      </Button>
    </Form>
  );
}
