import type { SignInMethods } from "../../../../contract/session.ts";
import { Icon } from "../../kit/icon.tsx";

/**
 * A button for each provider: a plain link, which the gateway redirects to the provider, and then to `path` below /console. In a
 * tab of its own where the page must stay.
 */
export function OidcButtons({
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
