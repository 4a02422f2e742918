import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Session, SignInMethods } from "../../../../contract/session.ts";
import { messageOf } from "../../api/api-error.ts";
import { signInWithPasskey } from "../../api/passkeys.ts";
import { apiQuery, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Form } from "../../kit/form.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";

interface Props {
  /** Whom it is for, where that is known. */
  readonly email?: string;
  /** The page to which a company's sign-in leads, below /console. */
  readonly path: string;
  /** Whether the page must stay: a company's sign-in opens a tab of its own. */
  readonly stays?: boolean;
  readonly onEnter: (session: Session) => void;
}

/** Every way to sign in that this gateway and this browser have: password, passkey, companies' sign-ins. */
export function WaysIn({ email, path, stays = false, onEnter }: Props) {
  const methods = useQuery(apiQuery("GET /session/methods", {}));
  const { passkeys = false, oidc = [] } = methods.data ?? {};
  const with_passkeys = passkeys && "PublicKeyCredential" in window;
  return (
    <>
      <PasswordForm {...(email === undefined ? {} : { email })} onEnter={onEnter} />
      {(with_passkeys || oidc.length > 0) && (
        <>
          <div className="flex items-center gap-3 text-[0.85rem] text-ink-soft">
            <span className="h-px flex-1 bg-line" />
            or
            <span className="h-px flex-1 bg-line" />
          </div>
          <div className="space-y-2">
            {with_passkeys && <PasskeyButton onEnter={onEnter} />}
            <OidcButtons providers={oidc} path={path} own_tab={stays} />
          </div>
        </>
      )}
    </>
  );
}

/**
 * A button for each provider: a plain link, which the gateway redirects to the provider, and then to `path` below /console. In a
 * tab of its own where the page must stay.
 */
function OidcButtons({
  providers,
  path,
  own_tab = false,
}: {
  providers: SignInMethods["oidc"];
  path: string;
  own_tab?: boolean;
}) {
  return providers.map(({ id, name }) => (
    <a
      key={id}
      href={`/console/api/session/oidc/${encodeURIComponent(id)}?${new URLSearchParams({ return: `/console${path}` })}`}
      {...(own_tab ? { target: "_blank", rel: "noopener" } : {})}
      className="flex min-h-9.5 items-center justify-center gap-2 rounded-lg border border-line bg-surface px-3.5 font-medium shadow-lift hover:border-line-strong"
    >
      <Icon name="accounts" />
      Continue with {name}
    </a>
  ));
}

function PasskeyButton({ onEnter }: { onEnter: (session: Session) => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const signIn = async () => {
    setBusy(true);
    setError(null);
    try {
      onEnter(await signInWithPasskey());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <>
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      <Button icon="passkey" busy={busy} onClick={() => void signIn()} className="w-full">
        Sign in with a passkey
      </Button>
    </>
  );
}

/** `email`: whom the form is for, where that is known. */
function PasswordForm({ email: known = "", onEnter }: { email?: string; onEnter: (session: Session) => void }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const signIn = useChange("POST /session/password");
  return (
    <Form
      error={signIn.error}
      onSubmit={() => signIn.mutate({ body: { email: email.trim(), password } }, { onSuccess: onEnter })}
    >
      <Input
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username webauthn"
        required
        value={email}
        onChange={setEmail}
      />
      <Input
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" kind="primary" busy={signIn.isPending} className="w-full">
        Sign in
      </Button>
    </Form>
  );
}
