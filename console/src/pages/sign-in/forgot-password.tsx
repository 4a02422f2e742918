import { Contact, useContact } from "../../kit/contact.tsx";

/** What somebody does who has forgotten their password: no e-mail is sent, so an administrator makes a link. */
export function ForgotPassword() {
  const contact = useContact();
  return (
    <details className="text-[0.88rem] text-ink-soft">
      <summary className="rounded-sm font-medium text-accent-ink">Forgot password?</summary>
      <p className="mt-1.5">
        Ask {contact === null ? "an administrator" : <Contact words={contact} />} for a password-reset link. If no
        administrator can sign in, run <code className="font-mono text-ink">camino sign-in-link</code> on the gateway's
        machine.
      </p>
    </details>
  );
}
