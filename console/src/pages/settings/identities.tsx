import { useQuery } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.ts";
import { useUser } from "../../api/session.ts";
import { apiQuery, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { failureText } from "../sign-in/oidc-failures.ts";

/** The companies' providers that one can sign in with; nothing where the gateway knows none. */
export function Identities() {
  const user = useUser();
  const [{ error }] = useUrlState("error");
  const methods = useQuery(apiQuery("GET /session/methods", {}));
  const connect = useChange("POST /me/identities/{provider}");
  const providers = methods.data?.oidc ?? [];
  if (providers.length === 0) return null;
  return (
    <Card title="Company sign-in" flush>
      {(error !== undefined || connect.error) && (
        <div className="px-4 pb-3 sm:px-5">
          <Notice tone="danger">{connect.error ? messageOf(connect.error) : failureText(error ?? "")}</Notice>
        </div>
      )}
      <ul className="divide-y divide-line border-t border-line">
        {providers.map(({ id, name }) => (
          <li key={id} className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
            <span className="font-medium">{name}</span>
            {user.identities.includes(id) ? (
              <Badge tone="good">connected</Badge>
            ) : (
              <Button
                size="small"
                busy={connect.isPending}
                onClick={() =>
                  connect.mutate(
                    { path: { provider: id } },
                    { onSuccess: ({ location: address }) => location.assign(address) },
                  )
                }
              >
                Connect
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
