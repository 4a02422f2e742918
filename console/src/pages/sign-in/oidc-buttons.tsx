import type { SignInMethods } from "../../../../contract/session.ts";
import { Icon } from "../../kit/icon.tsx";
import { useReturnPath } from "./use-enter.ts";

/** A button for each provider: a plain link, which the gateway redirects to the provider. */
export function OidcButtons({ providers }: { providers: SignInMethods["oidc"] }) {
  const path = useReturnPath();
  return providers.map(({ id, name }) => (
    <a
      key={id}
      href={`/console/api/session/oidc/${encodeURIComponent(id)}?${new URLSearchParams({ return: `/console${path}` })}`}
      className="flex min-h-9.5 items-center justify-center gap-2 rounded-lg border border-line bg-surface px-3.5 font-medium shadow-lift hover:border-line-strong"
    >
      <Icon name="accounts" />
      Continue with {name}
    </a>
  ));
}
